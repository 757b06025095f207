import Metering

/// Appends the lines that an NDJSON stream is answered with.
package enum StreamLine {
  /// Counts since the connection opened.
  package struct Counts: Equatable, Sendable {
    /// Lines covered, blank ones included.
    package var lines: UInt64 = 0
    package var accepted: UInt64 = 0
    package var duplicates: UInt64 = 0
    package var conflicts: UInt64 = 0
    package var rejected: UInt64 = 0

    package init() {}
  }

  /// `{"lines":…,"accepted":…,…}`: all lines so far are decided and on disk.
  package static func appendAck(
    _ counts: Counts, stopServing: [StopServing] = [], to output: inout [UInt8]
  ) {
    append("{\"lines\":", to: &output)
    append(counts.lines, to: &output)
    append(",\"accepted\":", to: &output)
    append(counts.accepted, to: &output)
    append(",\"duplicates\":", to: &output)
    append(counts.duplicates, to: &output)
    append(",\"conflicts\":", to: &output)
    append(counts.conflicts, to: &output)
    append(",\"rejected\":", to: &output)
    append(counts.rejected, to: &output)
    if !stopServing.isEmpty {
      append(",\"stopServing\":", to: &output)
      var writer = JSONWriter()
      writer.beginArray()
      for purchase in stopServing { purchase.write(to: &writer) }
      writer.endArray()
      output.append(contentsOf: writer.bytes)
    }
    append("}\n", to: &output)
  }

  /// `{"line":…,"verdict":…,"code":…,"detail":…}` for a line, counted from 1, that was not taken.
  package static func appendFault(
    line: UInt64, _ fault: EventFault, detail: String, to output: inout [UInt8]
  ) {
    append("{\"line\":", to: &output)
    append(line, to: &output)
    switch fault {
    case .conflict:
      append(",\"verdict\":\"conflict\",\"code\":\"conflict\",\"detail\":", to: &output)
    case .rejected(let code):
      append(",\"verdict\":\"rejected\",\"code\":\"", to: &output)
      output.append(contentsOf: code.name.utf8)
      append("\",\"detail\":", to: &output)
    }
    var writer = JSONWriter()
    writer.string(detail)
    output.append(contentsOf: writer.bytes)
    append("}\n", to: &output)
  }

  /// `{"code":"store_unavailable","detail":…}`: what wasn't acknowledged is to be sent again.
  package static func appendUnavailable(
    because reason: String? = nil, to output: inout [UInt8]
  ) {
    append("{\"code\":\"store_unavailable\",\"detail\":", to: &output)
    var writer = JSONWriter()
    writer.string(
      "The store can't take events now; send again what was not acknowledged."
        + (reason.map { " The cause: \($0)." } ?? ""))
    output.append(contentsOf: writer.bytes)
    append("}\n", to: &output)
  }

  private static func append(_ text: String, to output: inout [UInt8]) {
    output.append(contentsOf: text.utf8)
  }

  /// Decimal digits without an intermediate string.
  private static func append(_ number: UInt64, to output: inout [UInt8]) {
    let start = output.count
    var rest = number
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    output[start...].reverse()
  }
}
