/// Lines for the operator that anybody can cause: of each kind one a minute, with the number of
/// those that were left out. It reads no clock.
struct RepeatedLines {
  private struct Kind {
    var toldAt: UInt64
    var omitted = 0
  }

  private var kinds: [String: Kind] = [:]

  /// The line to write for an example of a kind at a monotonic instant; nil when it is left out.
  /// Kinds are few and named by the program.
  mutating func line(_ kind: String, example: String, at now: UInt64) -> String? {
    let spacing = UInt64(RespondLimits.repeatedLineSeconds) * 1_000_000_000
    guard var known = kinds[kind] else {
      kinds[kind] = Kind(toldAt: now)
      return "\(kind): \(example)"
    }
    guard now >= known.toldAt + spacing else {
      known.omitted += 1
      kinds[kind] = known
      return nil
    }
    kinds[kind] = Kind(toldAt: now)
    let more = known.omitted == 0 ? "" : " (and \(known.omitted) more since the last line of this)"
    return "\(kind): \(example)\(more)"
  }
}
