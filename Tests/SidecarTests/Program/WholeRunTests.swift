import Foundation
import Metering
import Testing

@testable import Sidecar

/// Subcommands of the built program that run a server of their own.
@Suite(.serialized) struct WholeRunTests {
  @Test func demoShowsItAll() throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let run = try DemoProcess.starting.withLock {
      try Binary.run(["demo", "--once"], ["TMPDIR": folder])
    }
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("80 % (consumptionPercentage 80000)"))
    #expect(run.output.contains("0 % (consumptionPercentage 0)"))
    #expect(run.output.contains("period 5 of 12"))
    for row in [
      "a customer asks for a refund 2000000900000001 refund_requested answered 6.993 – – – "
        + "DECLINE, 80 %",
      "another asks, and never consented 2000000900000002 refund_requested open 6.993 – – – "
        + "nothing: not_consented",
      "Apple reaches us after 13 hours 2000000900000005 refund_requested missed 6.993 – – – "
        + "nothing: late",
      "Apple refunds the credits 2000000900000001 refunded granted 0 12.245602944444 – – "
        + "DECLINE, 80 %",
      "and reverses that 2000000900000001 active reversed 6.993 – – – DECLINE, 80 %",
      "month 5 of a commitment runs 2000000900000003 active – 10.493 – – 73.451 –",
      "month 2 of it is refunded by 70 % 2000000900000004 refunded – 3.1479 0 – – –",
      "month 5 is refunded by 85 % 2000000900000003 refunded – 1.57395 15.868265475 – – –",
    ] { #expect(run.output.replacing(#/ +/#, with: " ").contains("\(row)\n"), "\(row)") }
    #expect(run.errors.contains("60 duplicates, 0 conflicts, 0 rejected"))
    #expect(run.errors.contains("case 2000000900000001:1: answered"))
    for secret in ["Bearer", "eyJ", "PRIVATE KEY", "anna"] { #expect(!run.errors.contains(secret)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test("a demonstration takes its server and its files along", arguments: [SIGINT, SIGHUP])
  func demoLeavesNothing(signal: Int32) throws {
    let demo = try DemoProcess()
    defer { demo.finish() }
    #expect(try demo.end(by: signal) == [])
    #expect(throws: (any Error).self) { try MetricsPage(demo.address) }
  }

  @Test(arguments: [
    (["--events", "20000", "--purchases", "500"], ["acked_events_per_second", "peak_memory_mib"]),
    (["--single", "--events", "50", "--purchases", "50"], ["single_p50_us", "sync_p50_us"]),
    (["--decoder", "--events", "100000"], ["decoded_events_per_second"]),
  ])
  func benchMeasures(options: [String], keys: [String]) throws {
    let run = try Binary.run(["bench", "--json", "--directory", "/tmp"] + options)
    #expect(run.code == 0, "\(run.errors)")
    let report = try JSONNode.parse(Array(run.output.utf8), dialect: .strict)
    #expect(keys.allSatisfy { report[$0]?.number != nil })
  }

  @Test func sendTellsWhatWasRefused() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let file = "\(server.folder)/events.ndjson"
    let good = #"{"id":"1","transactionId":"t","meter":"credits","quantity":4}"#
    let unknown = #"{"id":"2","transactionId":"t","meter":"debits","quantity":4}"#
    let other = #"{"id":"1","transactionId":"t","meter":"credits","quantity":5}"#
    try CommandSystem.writeFile(file, [good, "", unknown, good, other].joined(separator: "\n"))
    let run = try Binary.run(["send", file, "--socket", server.socketPath])
    #expect(run.code == 1)
    #expect(run.errors.contains("line 3: rejected unknown_meter"))
    #expect(run.errors.contains("line 5: conflict"))
    #expect(
      run.errors.hasSuffix("4 events: 1 accepted, 1 duplicates, 1 conflicts, 1 rejected\n"))
    let show = try Binary.run(["show", "t", "--json", "--socket", server.socketPath])
    #expect(show.output.contains(#""used":"4""#))
  }

  @Test("an event that waits for its meter is taken after a restart with the meter")
  func restartTakesKeptEvents() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let file = "\(server.folder)/event.ndjson"
    try CommandSystem.writeFile(
      file, #"{"id":"1","transactionId":"t","meter":"debits","quantity":4}"#)
    let send = ["send", file, "--socket", server.socketPath]
    #expect(try Binary.run(send).errors.contains("unknown_meter"))
    #expect(server.stop())
    let text = try String(contentsOfFile: server.configurationPath, encoding: .utf8)
    let meters = "meters: { debits: { unit: '1' },"
    try Data(text.replacing("meters: {", with: meters).utf8)
      .write(to: URL(fileURLWithPath: server.configurationPath))
    try server.start()
    #expect(try Binary.run(send).errors.contains("1 events: 0 accepted, 1 duplicates"))
  }
}
