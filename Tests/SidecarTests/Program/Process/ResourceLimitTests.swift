import Foundation
import Testing

@testable import Sidecar

/// Bounds of the system that a server would run into.
@Suite(.serialized) struct ResourceLimitTests {
  @Test(
    arguments: [
      ("ulimit -f 1000", "67108864"), ("ulimit -n 40", "at least 64"),
      ("ulimit -v 200000", "at least 268435456"),
    ])
  func tooLittleIsSaidAtOnce(limit: String, figure: String) throws {
    let redirected = try Redirected("", before: limit)
    let server = try redirected.server()
    defer { server.finish() }
    let run = try redirected.run(["serve", "--config", server.configurationPath])
    #expect(run.code == 1)
    #expect(run.errors.contains(figure) && run.errors.contains("ulimit"), "\(run)")
    #expect(!FileManager.default.fileExists(atPath: server.storePath))
  }

  @Test(
    arguments: [
      (ResourceLimits(), nil, 0),
      (ResourceLimits(fileBytes: 67_108_863), "ulimit -f", 1),
      (ResourceLimits(fileBytes: 67_108_864), nil, 1),
      (ResourceLimits(descriptors: 63), "ulimit -n", 1),
      (ResourceLimits(descriptors: 64), nil, 1),
      (ResourceLimits(descriptors: 1_032), nil, 0),
      (ResourceLimits(memoryBytes: 268_435_455), "ulimit -v", 1),
      (ResourceLimits(memoryBytes: 268_435_456), nil, 1),
      (ResourceLimits(memoryBytes: (2 << 30) - 1), nil, 1),
      (ResourceLimits(memoryBytes: 2 << 30), nil, 0),
    ] as [(ResourceLimits, String?, Int)])
  func boundsAreExact(limits: ResourceLimits, refusal: String?, notes: Int) {
    if let refusal {
      #expect(limits.refusal?.contains(refusal) == true)
    } else {
      #expect(limits.refusal == nil)
    }
    #expect(limits.notes.count == notes)
  }

  /// A log that has reached the bound of `ulimit -f`: the next line would kill the process.
  @Test func aFileAtItsBoundFailsAndKillsNothing() throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    let log = "\(folder)/log"
    try CommandSystem.writeFile(log, "")
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try handle.truncate(atOffset: 128 << 20)
    // One shell counts in blocks of 512 bytes, another in KiB: a segment fits, the log doesn't.
    let redirected = try Redirected("2>>\(log)", before: "ulimit -f 131072")
    let server = try redirected.server()
    defer { server.finish() }
    try server.start()
    #expect(try server.waits(for: "outlay_log_lines_lost_total") { $0 > 0 })
    #expect(server.stop())
  }
}
