/// The Date header, formatted once a second.
package struct HTTPDate: Sendable {
  private var second = Int64.min
  private var text: [UInt8] = []

  /// An empty cache.
  package init() {}

  /// RFC 9110's IMF-fixdate for seconds since 1970.
  package mutating func bytes(at second: Int64) -> [UInt8] {
    if second != self.second {
      self.second = second
      text = Array(Self.format(second).utf8)
    }
    return text
  }

  static func format(_ second: Int64) -> String {
    let day = Int(second / 86_400) - (second % 86_400 < 0 ? 1 : 0)
    let time = Int(second) - day * 86_400
    let (year, month, date) = civil(day)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((day % 7) + 7) % 7]
    let name = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][month - 1]
    return "\(weekday), \(pad(date)) \(name) \(year) "
      + "\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60)) GMT"
  }

  private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Proleptic Gregorian date of a day since 1970-01-01, counting years from March.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
