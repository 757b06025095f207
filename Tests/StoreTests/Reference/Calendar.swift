/// Instants as microseconds since 1970-01-01Z and the proleptic Gregorian calendar, by counting.
enum Calendar {
  static let second: Int64 = 1_000_000
  static let minute: Int64 = 60 * second
  static let hour: Int64 = 60 * minute
  static let day: Int64 = 24 * hour

  struct Date: Equatable {
    var year: Int
    var month: Int
    var day: Int
  }

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func days(inMonth month: Int, of year: Int) -> Int {
    [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Days since 1970-01-01 of a date from 1970 on.
  static func dayNumber(_ date: Date) -> Int {
    precondition(date.year >= 1970, "tests live after 1970")
    var days = 0
    for year in 1970..<date.year { days += isLeap(year) ? 366 : 365 }
    for month in 1..<date.month { days += self.days(inMonth: month, of: date.year) }
    return days + date.day - 1
  }

  static func date(ofDay number: Int) -> Date {
    var rest = number
    var year = 1970
    while rest >= (isLeap(year) ? 366 : 365) {
      rest -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month = 1
    while rest >= days(inMonth: month, of: year) {
      rest -= days(inMonth: month, of: year)
      month += 1
    }
    return Date(year: year, month: month, day: rest + 1)
  }

  /// Months later by the UTC calendar, clamped to the month's end.
  static func adding(months: Int, to time: Int64) -> Int64 {
    let start = date(ofDay: Int(time / day))
    let count = start.year * 12 + start.month - 1 + months
    let (year, month) = (count / 12, count % 12 + 1)
    let clamped = min(start.day, days(inMonth: month, of: year))
    let number = dayNumber(Date(year: year, month: month, day: clamped))
    return Int64(number) * day + time % day
  }

  /// `2026-03-14T23:59:59.999Z`, in the zone that is `offset` minutes east of UTC.
  static func text(_ time: Int64, offsetMinutes: Int = 0, decimals: Int = 6) -> String {
    let local = time + Int64(offsetMinutes) * minute
    let date = date(ofDay: Int(local / day))
    let clock = local % day
    var text = "\(date.year)-\(two(date.month))-\(two(date.day))T"
    text += "\(two(Int(clock / hour))):\(two(Int(clock % hour / minute)))"
    text += ":\(two(Int(clock % minute / second)))"
    if decimals > 0 {
      let micros = String(Int(clock % second) + 1_000_000).dropFirst()
      text += "." + (micros + "000").prefix(decimals)
    }
    if offsetMinutes == 0 { return text + "Z" }
    let size = abs(offsetMinutes)
    return text + (offsetMinutes < 0 ? "-" : "+") + "\(two(size / 60)):\(two(size % 60))"
  }

  /// Microseconds of a date and time of day in UTC.
  static func instant(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
  ) -> Int64 {
    let days = Int64(dayNumber(Date(year: year, month: month, day: day)))
    let clock = Int64(hour) * Self.hour + Int64(minute) * Self.minute
    return days * Self.day + clock + Int64(second) * Self.second
  }

  /// Reads back what the product prints: always 6 decimals and `Z`.
  static func instant(printed text: String) -> Int64? {
    let fields = text.split(whereSeparator: { "-T:.Z".contains($0) }).map { Int($0) ?? -1 }
    guard fields.count == 7, text.hasSuffix("Z"), fields.allSatisfy({ $0 >= 0 }) else { return nil }
    return instant(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5])
      + Int64(fields[6])
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
