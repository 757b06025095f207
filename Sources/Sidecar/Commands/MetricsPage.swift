import Wire

/// A reading of `/metrics`.
struct MetricsPage {
  private let lines: [Substring]

  /// Asks the server. Throws when it doesn't answer.
  init(_ address: ServerAddress) throws(CommandFailure) {
    let body = try address.get("/metrics", accept: "text/plain; version=0.0.4").body
    lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
  }

  /// The value of a metric without labels. Throws when the server has no such metric.
  func value(_ name: String) throws(CommandFailure) -> Double {
    for line in lines where line.hasPrefix("\(name) ") {
      if let value = Double(line.dropFirst(name.count + 1)) { return value }
    }
    throw CommandFailure("the server has no metric \(name)")
  }
}
