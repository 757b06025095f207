/// Counts durations in fixed buckets. Owned by whoever observes; copied for the exposition.
package struct DurationHistogram: Equatable, Sendable {
  /// Upper bounds in nanoseconds, inclusive: from a sync of a quick disk to a stalled one.
  package static let bounds: [Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
    50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
    10_000_000_000,
  ]

  /// Observations by bucket, not cumulative; the last counts what is beyond every bound.
  package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// Sum of all durations in nanoseconds.
  package private(set) var sum: Int128 = 0

  /// Without observations.
  package init() {}

  /// Number of observations.
  package var count: UInt64 { counts.reduce(0, +) }

  /// Counts durations that were all this long; a negative one is a clock's jest and counts as 0.
  package mutating func observe(nanoseconds: Int64, times: Int = 1) {
    let duration = max(0, nanoseconds)
    let bucket = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
    counts[bucket] += UInt64(times)
    sum += Int128(duration) * Int128(times)
  }

  /// Adds what another one counted.
  package mutating func add(_ other: DurationHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}
