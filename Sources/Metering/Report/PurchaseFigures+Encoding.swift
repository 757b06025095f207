/// The stored form of figures: a version, then sections, as for records.
extension PurchaseFigures {
  private static let version: UInt8 = 2

  private enum Section {
    static let product: UInt8 = 1
    static let environment: UInt8 = 2
    static let amount: UInt8 = 3
    static let chain: UInt8 = 4
    static let customer: UInt8 = 5
    static let counted: UInt8 = 6
    static let gone: UInt8 = 7
    static let respondBy: UInt8 = 8
    static let due: UInt8 = 9
    static let rank: UInt8 = 10
  }

  /// The figures as versioned bytes; equal figures give equal bytes.
  package func encode() -> [UInt8] {
    var out = RecordWriter()
    out.bytes.append(Self.version)
    // A purchase has one product and one environment, which its amounts share.
    let product = amounts.keys.map(\.product).max() ?? ""
    let environment = amounts.keys.map(\.environment).max() ?? ""
    if !product.isEmpty { out.section(Section.product, product.bytes) }
    if !environment.isEmpty { out.section(Section.environment, environment.bytes) }
    for (key, amount) in amounts.sorted(by: { $0.key < $1.key }) {
      var entry = RecordWriter()
      entry.bytes.append(key.family.rawValue)
      entry.bytes.append((key.product.isEmpty ? 0 : 1) | (key.environment.isEmpty ? 0 : 2))
      entry.text(key.first)
      entry.text(key.second)
      entry.fraction(amount)
      out.section(Section.amount, entry.bytes)
    }
    if let chain { out.section(Section.chain, chain.bytes) }
    if let customer { out.section(Section.customer, customer.bytes) }
    for one in cases.counted { out.section(Section.counted, one.encoded) }
    for (key, count) in cases.gone.sorted(by: { $0.key < $1.key }) {
      var entry = RecordWriter()
      entry.key(key)
      entry.signed(count)
      out.section(Section.gone, entry.bytes)
    }
    out.instant(Section.respondBy, respondBy)
    out.instant(Section.due, due)
    if let rank {
      var entry = RecordWriter()
      entry.signed(rank.order)
      out.section(Section.rank, entry.bytes)
    }
    return out.bytes
  }

  /// Takes figures back; nil for bytes that no version of the program known here wrote.
  package init?(encoded: some Collection<UInt8>) {
    var reader = RecordReader(Array(encoded))
    guard reader.byte() == Self.version else { return nil }
    self.init()
    var label: (product: ByteString, environment: ByteString) = ("", "")
    var counted: [CaseTally.Counted] = []
    var gone: [RollupKey: Int64] = [:]
    while !reader.isAtEnd {
      guard let tag = reader.byte(), let body = reader.text() else { return nil }
      var entry = RecordReader(body.bytes)
      switch tag {
      case Section.product: label.product = body
      case Section.environment: label.environment = body
      case Section.amount:
        guard take(amount: &entry, label) else { return nil }
      case Section.chain: chain = body
      case Section.customer: customer = body
      case Section.counted:
        guard let one = CaseTally.Counted(encoded: &entry) else { return nil }
        counted.append(one)
      case Section.gone:
        guard let key = entry.key(), let count = entry.signed() else { return nil }
        gone[key] = count
      case Section.respondBy: respondBy = entry.signed().map { Instant(microseconds: $0) }
      case Section.due: due = entry.signed().map { Instant(microseconds: $0) }
      case Section.rank: rank = entry.signed().map { RiskRank(order: $0) }
      default: return nil
      }
    }
    cases = CaseTally(counted: counted, gone: gone)
  }

  private mutating func take(
    amount entry: inout RecordReader, _ label: (product: ByteString, environment: ByteString)
  ) -> Bool {
    guard let family = entry.byte().flatMap(RollupKey.Family.init(rawValue:)),
      let flags = entry.byte(), let first = entry.text(), let second = entry.text(),
      let amount = entry.fraction()
    else { return false }
    var key = RollupKey(family, first, second)
    if flags & 1 != 0 { key.product = label.product }
    if flags & 2 != 0 { key.environment = label.environment }
    amounts[key] = amount
    return true
  }
}

extension RollupKey {
  /// The key as bytes; equal keys give equal bytes.
  package func encode() -> [UInt8] {
    var out = RecordWriter()
    out.key(self)
    return out.bytes
  }

  /// Takes a key back; nil for bytes that none has.
  package init?(encoded: some Collection<UInt8>) {
    var reader = RecordReader(Array(encoded))
    guard let key = reader.key(), reader.isAtEnd else { return nil }
    self = key
  }
}

extension Fraction {
  /// The fraction as bytes; equal fractions give equal bytes.
  package func encode() -> [UInt8] {
    var out = RecordWriter()
    out.fraction(self)
    return out.bytes
  }

  /// Takes a fraction back; nil for bytes that none has.
  package init?(encoded: some Collection<UInt8>) {
    var reader = RecordReader(Array(encoded))
    guard let value = reader.fraction(), reader.isAtEnd else { return nil }
    self = value
  }
}

extension CaseTally.Counted {
  fileprivate var encoded: [UInt8] {
    var out = RecordWriter()
    out.signed(number)
    out.text(reason)
    out.bytes.append(
      (isMissed ? 1 : 0) | (response == nil ? 0 : 2) | (settled == nil ? 0 : 4)
        | (corrections.contains(.missed) ? 8 : 0) | (corrections.contains(.lapsed) ? 16 : 0))
    if let response { out.text(response) }
    if let settled { out.text(settled) }
    out.signed(failures)
    out.bytes.append(outcomes)
    return out.bytes
  }

  fileprivate init?(encoded reader: inout RecordReader) {
    guard let number = reader.signed(), let reason = reader.text(), let flags = reader.byte() else {
      return nil
    }
    self.number = number
    self.reason = reason
    isMissed = flags & 1 != 0
    response = flags & 2 != 0 ? reader.text() : nil
    settled = flags & 4 != 0 ? reader.text() : nil
    if flags & 8 != 0 { corrections.insert(.missed) }
    if flags & 16 != 0 { corrections.insert(.lapsed) }
    guard let failures = reader.signed(), let outcomes = reader.byte() else { return nil }
    self.failures = failures
    self.outcomes = outcomes
  }
}

extension RecordWriter {
  fileprivate mutating func key(_ key: RollupKey) {
    bytes.append(key.family.rawValue)
    for text in [key.first, key.second, key.product, key.environment] { self.text(text) }
  }

  fileprivate mutating func fraction(_ value: Fraction) {
    value.numerator.write(to: &self)
    value.denominator.write(to: &self)
  }

  fileprivate mutating func instant(_ tag: UInt8, _ instant: Instant?) {
    guard let instant else { return }
    var entry = RecordWriter()
    entry.signed(instant.microseconds)
    section(tag, entry.bytes)
  }
}

extension RecordReader {
  fileprivate mutating func key() -> RollupKey? {
    guard let family = byte().flatMap(RollupKey.Family.init(rawValue:)), let first = text(),
      let second = text(), let product = text(), let environment = text()
    else { return nil }
    var key = RollupKey(family, first, second)
    key.product = product
    key.environment = environment
    return key
  }

  fileprivate mutating func fraction() -> Fraction? {
    guard let numerator = BigInteger(reading: &self),
      let denominator = BigInteger(reading: &self), denominator.signum > 0
    else { return nil }
    return Fraction(numerator, over: denominator)
  }
}
