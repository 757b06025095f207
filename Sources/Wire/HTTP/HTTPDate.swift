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
    let name = months[month - 1]
    return "\(weekday), \(pad(date)) \(name) \(year) "
      + "\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60)) GMT"
  }

  /// Seconds since 1970 of an IMF-fixdate, the only form that is written today; nil for any other.
  package static func seconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, let date = Int64(words[1]), let year = Int64(words[3]),
      let month = months.firstIndex(of: String(words[2])), words[5] == "GMT"
    else { return nil }
    let clock = words[4].split(separator: ":").map { Int64($0) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      (1970...9999).contains(year), (1...31).contains(date), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    // Years that begin in March have their leap day last.
    let shifted = month < 2 ? year - 1 : year
    let days =
      365 * shifted + shifted / 4 - shifted / 100 + shifted / 400
      + (153 * ((Int64(month) + 10) % 12) + 2) / 5 + date - 1 - 719_468
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
    return second == 60 || format(seconds) == text ? seconds : nil
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

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
