import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Whatever a store holds, a terminal is shown it and obeys none of it.
@Suite(.serialized) struct EscapeTests {
  private static let hostile = "a\u{1B}[2J\u{7}\u{9B}b\u{7F}\u{202E}c\nd"
  private static let shown = #"a\u{1B}[2J\u{7}\u{9B}b\u{7F}\u{202E}c\u{A}d"#

  /// Characters that do something, but for the ends of lines and tabs.
  private static func acts(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      !"\r\n\t".unicodeScalars.contains(scalar)
        && [.control, .format].contains(scalar.properties.generalCategory)
    }
  }

  @Test func everyPrinterEscapes() {
    #expect(PlainText.escaped(Self.hostile) == Self.shown)
    var table = TextTable(["product"])
    table.add([Self.hostile])
    #expect(table.text() == "product\n\(Self.shown)\n")
    var family = MetricFamily("outlay_cost", .gauge, "Cost.")
    family.add("1", ["product": Self.hostile])
    var text: [UInt8] = []
    family.write(to: &text, format: .openMetrics100)
    #expect(!Self.acts(String(decoding: text, as: UTF8.self)))
    let row = CostRow(
      start: .distantPast, end: .distantPast, meter: "m", product: ByteString(Self.hostile),
      environment: "Production", currency: "USD", quantity: nil, unit: nil, amount: nil,
      isComplete: true, isFinal: true)
    let csv = String(
      decoding: CostsAnswer.response([row], format: .csv).body, as: UTF8.self)
    #expect(csv.contains(Self.shown) && !Self.acts(csv))
    #expect(csv.split(separator: "\r\n").count == 2)
  }

  @Test func jsonStaysJSON() throws {
    var writer = JSONWriter()
    writer.beginArray()
    writer.string(Self.hostile)
    writer.endArray()
    let text = PlainText.escapedJSON(String(decoding: writer.bytes, as: UTF8.self))
    #expect(!Self.acts(text))
    let node = try JSONNode.parse(Array(text.utf8), dialect: .strict)
    #expect(node.elements?.first?.string == ByteString(Self.hostile))
  }

  /// An attribute may hold anything, and everything that prints it is a program of its own.
  @Test func theProgramPrintsNoneOfIt() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try CommandSystem.writeFile(
      server.configurationPath,
      try String(contentsOfFile: server.configurationPath, encoding: .utf8)
        .replacing(#"{ unit: "{credit}" }"#, with: #"{ unit: "{credit}", attributes: ["m"] }"#))
    try server.start()
    var writer = JSONWriter()
    writer.string(Self.hostile)
    let hostile = String(decoding: writer.bytes, as: UTF8.self)
    let event = """
      {"id":"1","transactionId":"7","meter":"credits","quantity":3,"attributes":{"m":\(hostile)}}
      """
    let answer = try server.address.connect().send(
      ClientRequest(
        "POST", "/v1/events", headers: [("Content-Type", "application/json")],
        body: Array(event.utf8)))
    #expect(answer.status == 200)
    for words in [["show", "7"], ["show", "7", "--json"]] {
      let run = try Binary.run(words + ["--socket", server.socketPath])
      #expect(run.code == 0 && !Self.acts(run.output), "\(run.output)")
    }
    let shown = try Binary.run(["show", "7", "--socket", server.socketPath]).output
    #expect(shown.contains("m=\(Self.shown)"), "\(shown)")
    // What a command line says comes back in complaints.
    let refused = try Binary.run(["show", Self.hostile, "--socket", server.socketPath])
    #expect(refused.code == 1 && !Self.acts(refused.errors))
  }
}
