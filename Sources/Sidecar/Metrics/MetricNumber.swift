import Metering

/// Writes numbers the way both text formats read them.
enum MetricNumber {
  /// The shortest text that reads back as the double nearest to an exact value.
  static func exact(_ value: Fraction) -> String {
    shortest(value.nearestDouble)
  }

  /// The same for `raw` / 10^`decimals`.
  static func scaled(_ raw: Int128, decimals: Int) -> String {
    exact(Fraction(raw, scale: decimals))
  }

  /// Seconds of an instant, to the microsecond.
  static func seconds(_ instant: Instant) -> String {
    scaled(Int128(instant.microseconds), decimals: 6)
  }

  /// The shortest text that reads back as this double.
  static func shortest(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A bucket's bound: OpenMetrics wants whole numbers with a point.
  static func bound(_ value: Double, format: MetricsFormat) -> String {
    format == .openMetrics100 ? value.description : shortest(value)
  }
}
