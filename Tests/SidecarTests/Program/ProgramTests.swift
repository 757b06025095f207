import Foundation
import Testing

@testable import Sidecar

/// The command line of the built program.
struct ProgramTests {
  @Test(
    arguments: [
      (["--version"], 0), (["--help"], 0), (["send", "--help"], 0), ([], 2), (["serf"], 2),
      (["show"], 2), (["send", "--sock", "x"], 2), (["costs"], 2), (["top", "--items", "0"], 2),
      (["top", "--once", "--json"], 2), (["top", "--socket", "/nowhere/outlay.sock"], 1),
      (["bench", "--events", "0"], 2),
      (["show", "1", "--socket", "/nowhere/outlay.sock"], 1),
      (["send", "/nowhere/events.ndjson", "--socket", "/nowhere/outlay.sock"], 1),
      (["order"], 2), (["order", "MQ1"], 1), (["extend", "1"], 2), (["respond", "--test"], 1),
      (["respond", "--test", "--dry-run", "1:1"], 2), (["respond"], 78),
      (["respond", "--config", "/nowhere/outlay.json5"], 78), (["check"], 2),
      (["check", "--config", "/nowhere/outlay.json5"], 1), (["backup"], 2), (["backup", ""], 2),
      (["backup", "/nowhere/copy", "--store", "/nowhere"], 1),
      (["backup", "/nowhere/copy", "--config", "/nowhere/outlay.json5"], 1),
    ] as [([String], Int32)])
  func endsWith(words: [String], code: Int32) throws {
    #expect(try Binary.run(words).code == code)
  }

  @Test func everySubcommandHasHelp() throws {
    let overview = try Binary.run(["--help"]).output
    for name in [
      "serve", "respond", "check", "send", "show", "top", "costs", "order", "extend", "verify",
      "backup", "bench", "demo",
    ] {
      #expect(overview.contains("\n  \(name) "))
      #expect(try Binary.run([name, "--help"]).output.contains("usage: outlay \(name)"))
    }
  }

  @Test func versionIsOneLine() throws {
    #expect(try Binary.run(["--version"]).output == "outlay \(Release.version)\n")
  }
}

/// `outlay check` of the built program.
struct CheckTests {
  private static func check(_ text: String, _ more: [String] = []) throws -> (Binary.Run, String) {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let file = "\(folder)/outlay.json5"
    try CommandSystem.writeFile(file, text)
    return (try Binary.run(["check", "--config", file] + more), file)
  }

  @Test func goodIsSilent() throws {
    let (run, _) = try Self.check(#"{ meters: { credits: { unit: "{credit}" } } }"#)
    #expect(run.code == 0)
    #expect(run.output + run.errors == "")
  }

  @Test func printsWhatIsInForce() throws {
    let (run, _) = try Self.check(#"{ meters: { credits: { unit: "{credit}" } } }"#, ["--print"])
    #expect(run.code == 0)
    #expect(run.output.contains("\"dedupeDays\""))
  }

  @Test func allFaultsAreNamedAtOnce() throws {
    let text = """
      {
        meters: { credits: { unit: 7 } },
        refundWindowDays: "soon",
      }
      """
    let (run, file) = try Self.check(text)
    let lines = run.errors.split(separator: "\n")
    #expect(run.code == 78)
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("\(file):") })
    #expect(lines.first?.contains(":2:30: meters.credits.unit: ") == true)
    #expect(lines.last?.contains(":3:21: refundWindowDays: ") == true)
  }

  @Test func serveRefusesWhatCheckRefuses() throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let file = "\(folder)/outlay.json5"
    try CommandSystem.writeFile(file, "{ meters: ")
    let run = try Binary.run(["serve", "--config", file])
    #expect(run.code == 78)
    #expect(run.errors.contains(file))
  }
}
