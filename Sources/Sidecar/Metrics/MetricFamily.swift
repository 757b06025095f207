/// One metric with its samples, before it is written in some format.
struct MetricFamily {
  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  struct Sample {
    /// What follows the family's name, such as `_bucket`.
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    /// A number as both formats write it.
    var value: String
  }

  /// Without the counter's `_total`.
  var name: String
  var kind: Kind
  var help: String
  /// The unit that the name ends with; nil when it ends with none.
  var unit: String?
  var samples: [Sample] = []

  init(_ name: String, _ kind: Kind, _ help: String, unit: String? = nil) {
    precondition(unit.map { name.hasSuffix("_" + $0) } ?? true, "the name says the unit")
    self.name = name
    self.kind = kind
    self.help = help
    self.unit = unit
  }

  mutating func add(_ value: String, _ labels: KeyValuePairs<String, String> = [:]) {
    samples.append(
      Sample(
        suffix: kind == .counter ? "_total" : "",
        labels: labels.map { (name: $0.key, value: $0.value) }, value: value))
  }

  /// Appends the samples of a histogram of durations, in seconds.
  mutating func add(_ histogram: DurationHistogram, format: MetricsFormat) {
    var cumulative: UInt64 = 0
    for (index, count) in histogram.counts.enumerated() {
      cumulative += count
      let isLast = index == DurationHistogram.bounds.count
      let seconds = isLast ? 0 : Double(DurationHistogram.bounds[index]) / 1e9
      let bound = isLast ? "+Inf" : MetricNumber.bound(seconds, format: format)
      samples.append(
        Sample(suffix: "_bucket", labels: [(name: "le", value: bound)], value: "\(cumulative)"))
    }
    samples.append(Sample(suffix: "_sum", value: MetricNumber.scaled(histogram.sum, decimals: 9)))
    samples.append(Sample(suffix: "_count", value: "\(cumulative)"))
  }

  /// Appends the family's lines.
  func write(to output: inout [UInt8], format: MetricsFormat) {
    let isOpen = format == .openMetrics100
    let title = isOpen || kind != .counter ? name : name + "_total"
    output.append(contentsOf: "# HELP \(title) \(Self.escaped(help, quotes: isOpen))\n".utf8)
    output.append(contentsOf: "# TYPE \(title) \(kind.rawValue)\n".utf8)
    if isOpen, let unit { output.append(contentsOf: "# UNIT \(title) \(unit)\n".utf8) }
    for sample in samples {
      output.append(contentsOf: name.utf8)
      output.append(contentsOf: sample.suffix.utf8)
      for (index, label) in sample.labels.enumerated() {
        output.append(UInt8(ascii: index == 0 ? "{" : ","))
        output.append(
          contentsOf: "\(label.name)=\"\(Self.escaped(label.value, quotes: true))\"".utf8)
      }
      if !sample.labels.isEmpty { output.append(UInt8(ascii: "}")) }
      output.append(contentsOf: " \(sample.value)\n".utf8)
    }
  }

  /// Label values come from users: what would end the value or the line is escaped, and what a
  /// terminal would obey is shown as an escape of ours.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in PlainText.escaped(text, keeping: "\n").unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension MetricFamily {
  /// What every part of the program that runs for long tells of its log.
  static func logLinesLost(_ count: UInt64) -> MetricFamily {
    var lost = MetricFamily(
      "outlay_log_lines_lost", .counter,
      "Lines of the log that couldn't be written since the start of the process.")
    lost.add("\(count)")
    return lost
  }
}
