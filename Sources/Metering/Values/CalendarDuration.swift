/// A positive ISO 8601 duration, counted in the UTC calendar: months keep the day of the month,
/// everything else is exact time (a day is 24 hours).
package struct CalendarDuration: Hashable, Sendable {
  private let months: Int64
  private let microseconds: Int64

  /// Reads `P1M`, `P30D`, `P1Y`, `PT12H`, `P1W` and mixtures of whole numbers; nil for anything
  /// else, for a duration of nothing, and for parts beyond 100,000 years.
  package init?(iso8601 text: ByteString) {
    let bytes = text.bytes
    guard bytes.first == 0x50 else { return nil }
    var months: Int64 = 0
    var seconds: Int64 = 0
    var isTime = false
    var rank = -1
    var index = 1
    while index < bytes.count {
      if bytes[index] == 0x54, !isTime {
        isTime = true
        rank = max(rank, 3)
        index += 1
        guard index < bytes.count else { return nil }
      }
      let first = index
      var number: Int64 = 0
      while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 {
        number = number * 10 + Int64(bytes[index] - 0x30)
        guard number <= 3_200_000_000_000 else { return nil }
        index += 1
      }
      guard index > first, index < bytes.count,
        let unit = Self.unit(bytes[index], isTime: isTime), unit.rank > rank,
        number <= unit.limit
      else { return nil }
      rank = unit.rank
      months += number * unit.months
      seconds += number * unit.seconds
      index += 1
    }
    let (microseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard months > 0 || seconds > 0, !isTooLong else { return nil }
    self.months = months
    self.microseconds = microseconds
  }

  /// The start of interval `k` of an anchor: anchor + k steps in one go, clamped at the month's
  /// end, so that the 31st comes back after a short month.
  package func boundary(_ k: Int, from anchor: Instant) -> Instant {
    let (steps, monthOverflow) = months.multipliedReportingOverflow(by: Int64(k))
    let (exact, overflow) = microseconds.multipliedReportingOverflow(by: Int64(k))
    guard !monthOverflow, !overflow else { return k < 0 ? .distantPast : .distantFuture }
    return anchor.adding(months: Int(steps)).adding(microseconds: exact)
  }

  /// A text that reads as this duration: `P1M`, `P30D`, `PT12H`.
  package var iso8601: String {
    let parts: [(amount: Int64, letter: String)] = [
      (months / 12, "Y"), (months % 12, "M"), (microseconds / 86_400_000_000, "D"),
    ]
    let seconds = microseconds / 1_000_000 % 86_400
    let times: [(amount: Int64, letter: String)] = [
      (seconds / 3600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S"),
    ]
    func text(_ parts: [(amount: Int64, letter: String)]) -> String {
      parts.filter { $0.amount > 0 }.map { "\($0.amount)\($0.letter)" }.joined()
    }
    return "P" + text(parts) + (seconds > 0 ? "T" + text(times) : "")
  }

  private struct Unit {
    var rank: Int
    var months: Int64 = 0
    var seconds: Int64 = 0
    var limit: Int64
  }

  private static func unit(_ letter: UInt8, isTime: Bool) -> Unit? {
    switch (isTime, letter) {
    case (false, 0x59): Unit(rank: 0, months: 12, limit: 100_000)
    case (false, 0x4D): Unit(rank: 1, months: 1, limit: 1_200_000)
    case (false, 0x57): Unit(rank: 2, seconds: 604_800, limit: 5_000_000)
    case (false, 0x44): Unit(rank: 3, seconds: 86_400, limit: 36_500_000)
    case (true, 0x48): Unit(rank: 4, seconds: 3600, limit: 876_000_000)
    case (true, 0x4D): Unit(rank: 5, seconds: 60, limit: 52_000_000_000)
    case (true, 0x53): Unit(rank: 6, seconds: 1, limit: 3_150_000_000_000)
    default: nil
    }
  }
}
