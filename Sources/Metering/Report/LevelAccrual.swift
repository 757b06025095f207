/// Turns levels into quantities: the integral of a level over time, in unit × seconds.
package enum LevelAccrual {
  /// Joins series of the same meter and attributes that were reported under several ids of one
  /// chain; of two points at one instant the later commit wins.
  package static func joined(_ series: [LevelSeries]) -> [LevelSeries] {
    var joined: [LevelSeries] = []
    for next in series {
      let known = joined.firstIndex {
        $0.meter == next.meter && $0.attributes.elementsEqual(next.attributes, by: ==)
      }
      guard let known else {
        joined.append(next)
        continue
      }
      joined[known].points = merge(joined[known].points, next.points)
    }
    return joined
  }

  private static func merge(_ left: [LevelPoint], _ right: [LevelPoint]) -> [LevelPoint] {
    let sorted = (left + right).sorted {
      $0.time == $1.time ? $0.commit < $1.commit : $0.time < $1.time
    }
    var merged: [LevelPoint] = []
    for point in sorted {
      if merged.last?.time == point.time { merged.removeLast() }
      merged.append(point)
    }
    return merged
  }

  /// What the series accrue within [from, to), cut where prices change, one amount for each
  /// series and stretch in which it was not zero.
  package static func amounts(
    of series: [LevelSeries], from: Instant, to: Instant, configuration: Configuration
  ) -> [BookedAmount] {
    series.flatMap { one -> [BookedAmount] in
      let boundaries = configuration.boundaries(meter: one.meter)
      let sums = integrals(of: one.points, from: from, to: to, cutAt: boundaries)
      return sums.sorted { $0.key < $1.key }.map { stretch, sum in
        BookedAmount(
          meter: one.meter, attributes: one.attributes,
          epoch: stretch == 0 ? .distantPast : boundaries[stretch - 1], own: nil,
          quantity: Fraction(sum, over: .powerOfTen(15)), amount: .zero)
      }
    }
  }

  /// Sums of 10^-9 units × microseconds by number of the stretch: 0 is before the first boundary.
  private static func integrals(
    of points: [LevelPoint], from: Instant, to: Instant, cutAt boundaries: [Instant]
  ) -> [Int: BigInteger] {
    var sums: [Int: BigInteger] = [:]
    var stretch = 0
    for (index, point) in points.enumerated() {
      let next = index + 1 < points.count ? points[index + 1].time : .distantFuture
      var start = max(point.time, from)
      let end = min(next, to)
      guard start < end, point.value != 0 else { continue }
      while start < end {
        while stretch < boundaries.count, boundaries[stretch] <= start { stretch += 1 }
        let cut = stretch < boundaries.count ? min(boundaries[stretch], end) : end
        let time = Int128(cut.microseconds) - Int128(start.microseconds)
        sums[stretch, default: .zero] =
          sums[stretch, default: .zero] + BigInteger(point.value) * BigInteger(time)
        start = cut
      }
    }
    return sums
  }
}
