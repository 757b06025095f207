import Metering

/// Items of an answer, written until they take ``RouteLimits/answerListBytes``; those beyond are
/// only counted, so that an answer is bounded whatever was asked.
struct BoundedList: Sendable {
  private var writer = JSONWriter()
  private(set) var omitted = 0

  init() { writer.beginArray() }

  /// Adds an item, which `write` writes as one value.
  mutating func add(_ write: (inout JSONWriter) -> Void) {
    guard omitted == 0, writer.bytes.count < RouteLimits.answerListBytes else {
      omitted += 1
      return
    }
    write(&writer)
  }

  /// Writes the list as a member, and beside it how many items it lacks if it does.
  func write(_ name: String, to other: inout JSONWriter) {
    var whole = writer
    whole.endArray()
    other.key(name)
    other.raw(whole.bytes)
    if omitted > 0 { other.member(name + "Omitted", omitted) }
  }
}

/// Revoked purchases, each once, until they take ``RouteLimits/answerListBytes``.
struct StopList: Sendable {
  /// In the order in which they were met.
  private(set) var purchases: [StopServing] = []
  /// Mentions of purchases that found no room.
  private(set) var omitted = 0
  private var known: Set<StopServing> = []
  private var bytes = 0

  init() {}

  mutating func add(_ purchase: StopServing) {
    guard !known.contains(purchase) else { return }
    guard bytes < RouteLimits.answerListBytes else {
      omitted += 1
      return
    }
    bytes += purchase.transactionId.count + (purchase.customer?.count ?? 0) + 40
    known.insert(purchase)
    purchases.append(purchase)
  }
}
