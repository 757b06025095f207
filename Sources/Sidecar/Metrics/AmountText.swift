import Metering

/// Money for a glance: to a hundredth, with thousands apart. Whoever needs all of it asks for JSON.
enum AmountText {
  /// An object of `amount` and `currency`; "–" for null.
  static func one(_ node: JSONNode?) -> String {
    guard let amount = node?["amount"]?.string, let value = Fraction(decimal: amount) else {
      return "–"
    }
    return "\(rounded(value)) \(JSONNode.plain(node?["currency"]))"
  }

  /// A list of such; "–" when it is empty.
  static func list(_ node: JSONNode?) -> String {
    let amounts = (node?.elements ?? []).map { one($0) }
    return amounts.isEmpty ? "–" : amounts.joined(separator: " + ")
  }

  /// The amount to a hundredth, halves away from zero; what is less but not nothing says so.
  static func rounded(_ amount: Fraction) -> String {
    if amount.isZero { return "0.00" }
    let isNegative = amount.numerator.signum < 0
    let magnitude = isNegative ? -amount : amount
    let half = Fraction(1) / Fraction(200)
    guard let hundredths = (magnitude + half).floored(times: 100) else {
      return MetricNumber.shortest(amount.nearestDouble)
    }
    if hundredths == 0 { return isNegative ? ">-0.01" : "<0.01" }
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    let text = "\(grouped(String(whole))).\(rest < 10 ? "0" : "")\(rest)"
    return isNegative ? "-" + text : text
  }

  /// The same for a sum that is a double already; one that isn't finite says what it is.
  static func rounded(_ amount: Double) -> String {
    Fraction(decimal: ByteString(amount.description)).map { rounded($0) }
      ?? MetricNumber.shortest(amount)
  }

  /// A whole number with a comma before every three digits.
  static func grouped(_ digits: String) -> String {
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { grouped += "," }
      grouped.append(digit)
    }
    return grouped
  }

  /// A time left, in its two largest units.
  static func duration(seconds: Int64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
    return "\(seconds) s"
  }
}
