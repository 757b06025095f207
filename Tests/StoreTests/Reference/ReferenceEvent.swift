/// An attribute's value as the sender typed it.
enum AttributeValue: Hashable {
  case string(String)
  case number(String)
  case bool(Bool)

  var json: String {
    switch self {
    case .string(let text): TinyJSON.quoted(text)
    case .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    }
  }

  /// Equal for values that mean the same: 1.0 and 1e0, but not "1".
  var content: String {
    switch self {
    case .string(let text): "s" + text
    case .number(let text): "n" + (Exact(text)?.description ?? text)
    case .bool(let flag): flag ? "true" : "false"
    }
  }

  /// What a price's filter is compared with.
  var plain: String {
    switch self {
    case .string(let text): text
    case .number(let text): Exact(text)?.description ?? text
    case .bool(let flag): flag ? "true" : "false"
    }
  }
}

/// One reading as sent.
struct ReferenceReading {
  var meter: String
  /// As written between the quotes, or as a bare number.
  var quantity: String
  var quotedQuantity = false
  var unit: String?
  var attributes: [String: AttributeValue] = [:]
  var cost: (amount: String, currency: String)?

  /// Quantity as sent: a bare number with more than nine decimals is rounded, a string is not.
  var sentQuantity: Exact {
    let exact = Exact(quantity) ?? .zero
    return quotedQuantity ? exact : exact.rounded(places: 9)
  }

  var ownCost: (amount: Exact, currency: String)? {
    cost.map { (Exact($0.amount) ?? .zero, $0.currency) }
  }

  var content: String {
    let sorted = attributes.map { $0.key + "=" + $0.value.content }.sorted()
    let cost = ownCost.map { "\($0.amount) \($0.currency)" } ?? "-"
    return "\(meter)|\(sentQuantity)|\(unit ?? "-")|\(sorted)|\(cost)"
  }
}

/// One event as sent: usage, a void or a mark.
struct ReferenceEvent {
  enum Subject: Hashable {
    case transaction(String)
    case chain(String)
    case customer(String)

    var field: (name: String, value: String) {
      switch self {
      case .transaction(let id): ("transactionId", id)
      case .chain(let id): ("originalTransactionId", id)
      case .customer(let id): ("customer", id)
      }
    }
  }

  struct Key: Hashable {
    var source: String
    var id: String

    /// Bytes, because `String` finds different bytes equal.
    static func == (left: Key, right: Key) -> Bool {
      left.source.utf8.elementsEqual(right.source.utf8) && left.id.utf8.elementsEqual(right.id.utf8)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(Array(id.utf8)) }
  }

  enum Body {
    case usage(subject: Subject, time: Int64?, readings: [ReferenceReading])
    case void(Key)
    /// All of the source's usage up to then was sent; the key's id isn't used.
    case mark(through: Int64?)
  }

  var key: Key
  var body: Body

  /// What must be the same for a resend to be a duplicate.
  var content: String {
    switch body {
    case .usage(let subject, let time, let readings):
      let instant = time.map { "\($0)" } ?? "-"
      return "\(subject.field)|\(instant)|" + readings.map(\.content).joined(separator: "&")
    case .void(let target): return "voids|\(target.source)|\(target.id)"
    case .mark(let through): return "mark|\(through ?? -1)"
    }
  }
}

/// The answer to one event.
enum ReferenceVerdict: Hashable {
  case accepted
  case duplicate
  case conflict
  case rejected(String)
}
