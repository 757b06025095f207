/// A point in time, kept to the microsecond.
package struct Instant: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  package var microseconds: Int64

  /// Microseconds since 1970-01-01T00:00:00Z.
  package init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Milliseconds since 1970-01-01T00:00:00Z, Apple's unit; clamped to what microseconds can say.
  package init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    microseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  /// Before everything.
  package static let distantPast = Instant(microseconds: .min)
  /// After everything.
  package static let distantFuture = Instant(microseconds: .max)

  package static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }

  /// Later by so many microseconds; clamped to the distant instants, which never move.
  package func adding(microseconds delta: Int64) -> Instant {
    if self == .distantPast || self == .distantFuture { return self }
    let (sum, overflow) = microseconds.addingReportingOverflow(delta)
    return overflow ? (delta < 0 ? .distantPast : .distantFuture) : Instant(microseconds: sum)
  }

  /// The same time of day so many months later in the UTC calendar. A day that the month lacks
  /// becomes its last one. The distant instants never move.
  package func adding(months: Int) -> Instant {
    if months == 0 || self == .distantPast || self == .distantFuture { return self }
    let day = microseconds.flooredQuotient(by: Self.microsecondsPerDay)
    let timeOfDay = microseconds - day * Self.microsecondsPerDay
    let date = CivilDate(daysSinceEpoch: day)
    let (total, overflow) = (date.year * 12 + date.month - 1)
      .addingReportingOverflow(Int64(months))
    let limit: Int64 = 12 * 290_000
    guard !overflow, total > -limit, total < limit else {
      return months < 0 ? .distantPast : .distantFuture
    }
    let year = total.flooredQuotient(by: 12)
    let month = total - year * 12 + 1
    let target = CivilDate(
      year: year, month: month, day: min(date.day, CivilDate.days(inMonth: month, of: year)))
    return Instant(microseconds: target.daysSinceEpoch * Self.microsecondsPerDay + timeOfDay)
  }

  static let microsecondsPerDay: Int64 = 86_400_000_000
}

/// A date of the proleptic Gregorian calendar; arithmetic after Hinnant's "chrono-compatible
/// low-level date algorithms".
struct CivilDate: Equatable {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(daysSinceEpoch: Int64) {
    let shifted = daysSinceEpoch + 719_468
    let era = shifted.flooredQuotient(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSinceEpoch: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.flooredQuotient(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2:
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

extension Int64 {
  /// Division rounding towards minus infinity; the divisor is positive.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
