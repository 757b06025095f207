import Metering

/// Figures in the order they were measured, for people and for programs.
struct BenchReport {
  private struct Figure {
    var key: String
    var label: String
    var values: [Double]
    var unit: String
    var decimals: Int
  }

  private var figures: [Figure] = []

  /// Adds a figure; `key` is its name in JSON.
  mutating func add(
    _ key: String, _ label: String, _ value: Double, _ unit: String, decimals: Int = 0
  ) {
    figures.append(
      Figure(key: key, label: label, values: [value], unit: unit, decimals: decimals))
  }

  /// Adds a figure with several values.
  mutating func add(_ key: String, _ label: String, _ values: [Double], _ unit: String) {
    figures.append(Figure(key: key, label: label, values: values, unit: unit, decimals: 0))
  }

  /// Median, 99th percentile and maximum of sorted nanoseconds.
  mutating func addLatencies(_ key: String, _ label: String, _ sorted: [UInt64]) {
    guard let last = sorted.last else { return }
    let parts = [
      ("p50", sorted[sorted.count / 2]), ("p99", sorted[sorted.count * 99 / 100]), ("max", last),
    ]
    for (name, value) in parts {
      add("\(key)_\(name)_us", "\(label) \(name)", Double(value) / 1000, "µs", decimals: 1)
    }
  }

  var text: String {
    let width = figures.map(\.label.count).max() ?? 0
    return figures.map { figure in
      let padding = String(repeating: " ", count: width - figure.label.count)
      let values = figure.values.map { Self.grouped($0, decimals: figure.decimals) }
      return "\(figure.label)\(padding)  \(values.joined(separator: " ")) \(figure.unit)\n"
    }.joined()
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    for figure in figures {
      writer.key(figure.key)
      let values = figure.values.map { Self.rounded($0, decimals: figure.decimals) }
      if values.count == 1 {
        writer.number(values[0])
      } else {
        writer.beginArray()
        for value in values { writer.number(value) }
        writer.endArray()
      }
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  private static func rounded(_ value: Double, decimals: Int) -> String {
    guard decimals > 0 else { return String(Int64(value.rounded())) }
    let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
    let parts = Int64((value * Double(scale)).rounded())
    // The digits behind the point, with the leading zeros that they may have.
    let fraction = String(abs(parts) % Int64(scale) + Int64(scale)).dropFirst()
    return "\(parts / Int64(scale)).\(fraction)"
  }

  /// Thousands apart by commas.
  static func grouped(_ value: Double, decimals: Int = 0) -> String {
    let text = rounded(value, decimals: decimals)
    let whole = text.prefix { $0 != "." }
    var grouped = ""
    for (index, digit) in whole.enumerated() {
      if index > 0 && (whole.count - index) % 3 == 0 { grouped += "," }
      grouped.append(digit)
    }
    return grouped + text.dropFirst(whole.count)
  }
}
