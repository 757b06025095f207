/// One sum of one purchase in a memtable.
package struct UsageEntry: Sendable {
  /// Number of the purchase's next entry, or -1.
  package var next: Int32
  /// Number of the ``SumKey``.
  package var key: Int32
  package var sums: Sums
}

/// A purchase that a memtable has deltas for.
package struct SubjectEntry: Sendable {
  package var hash: Hash128
  /// The id's bytes in the memtable's text.
  var idOffset: UInt32
  var idCount: UInt32
  /// Number of the first ``UsageEntry``, or -1.
  package var firstUsage: Int32
  /// Number of the last ``TrailEntry``, or -1.
  package var lastTrail: Int32 = -1
}

/// One fact that booked readings to a purchase: a step of its trail.
package struct TrailEntry: Sendable, Equatable {
  /// Number of the subject.
  package var subject: Int32
  /// Number of the purchase's entry before, or -1.
  var previous: Int32
  /// Location of the fact, raw.
  package var location: UInt64
}

/// A level reported for a transaction, a chain or a customer.
package struct PointEntry: Sendable, Equatable {
  /// Number of the subject and of the series.
  package var subject: Int32
  package var series: Int32
  /// Event time, microseconds.
  package var time: Int64
  /// Orders points of one instant: the journal location of the event.
  package var tie: UInt64
  /// The level, raw 10^-9 base units.
  package var value: Int128
  /// Whether the point is taken back.
  package var isRemoved: Bool
}

/// Key of a quarter-hour sum.
package struct QuarterHourKey: Hashable, Sendable {
  /// Start of the quarter-hour, microseconds.
  package var slot: Int64
  /// Number of the label.
  package var label: Int32
  /// Number of the ``SumKey``.
  package var sum: Int32
}
