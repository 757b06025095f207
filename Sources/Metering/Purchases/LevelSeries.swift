/// A level that holds from `time` until the next point.
package struct LevelPoint: Equatable, Sendable {
  package var time: Instant
  /// The level in 10^-9 of the base unit.
  package var value: Int128
  /// Position of its commit; of two points at one instant the later commit wins.
  package var commit: UInt64

  /// Makes a point; `commit` only matters where points of several subjects meet at one instant.
  package init(time: Instant, value: Int128, commit: UInt64 = 0) {
    self.time = time
    self.value = value
    self.commit = commit
  }
}

/// The points of one level of one subject.
package struct LevelSeries: Sendable {
  package var meter: ByteString
  /// The meter's declared attributes, sorted by key.
  package var attributes: [(key: ByteString, value: ByteString)]
  /// Sorted by (time, commit), at most one for each instant.
  package var points: [LevelPoint]

  /// Makes a series of points that are already sorted.
  package init(
    meter: ByteString, attributes: [(key: ByteString, value: ByteString)], points: [LevelPoint]
  ) {
    self.meter = meter
    self.attributes = attributes
    self.points = points
  }
}

extension LevelSeries: Equatable {
  package static func == (left: LevelSeries, right: LevelSeries) -> Bool {
    left.meter == right.meter && left.points == right.points
      && left.attributes.elementsEqual(right.attributes, by: ==)
  }
}
