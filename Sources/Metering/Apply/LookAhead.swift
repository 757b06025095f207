/// Looks at places in large tables shortly before they are needed.
///
/// A place that isn't in the processor's caches takes a hundred times as long as one that is, and
/// events come in no order, so that each look-up would wait for its own. Looked at one right after
/// another, with nothing else in between, the processor waits for many places at once.
package struct LookAhead {
  /// Events that are looked at together: enough places to wait for at once, and few enough that all
  /// of them are still near when their turn comes.
  package static let window = 32

  /// What was seen, so that the looks can't be left out.
  private var seen: UInt64 = 0

  package init() {}

  /// Takes what a look saw.
  @inline(__always)
  package mutating func note(_ word: UInt64) { seen ^= word }
}

/// What a fact of usage will be looked up by when it is applied: the lower halves of the hashes of
/// its event and of the purchase. Only an expectation: facts are applied the same whatever it says.
package struct ExpectedPlaces: Sendable {
  var key: UInt64
  var subject: UInt64
}
