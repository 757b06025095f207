import Foundation

@testable import Sidecar

/// The built program, for tests of the whole.
enum Binary {
  /// The end of a run.
  struct Run {
    var code: Int32
    var output: String
    var errors: String
  }

  struct Missing: Error, CustomStringConvertible {
    let description = "OUTLAY_BINARY must name the built program; `Config/setup test` sets it"
  }

  /// Where the program is. Throws when the environment doesn't say so.
  static func path() throws -> String {
    let path = ProcessInfo.processInfo.environment["OUTLAY_BINARY"] ?? ""
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing() }
    return path
  }

  /// The number that CI varies with each commit.
  static var seed: UInt64 {
    let text = ProcessInfo.processInfo.environment["OUTLAY_SEED"] ?? "0"
    return text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  /// Runs it to its end, without any of the caller's own settings; `other` takes its output.
  static func run(
    _ arguments: [String], _ settings: [String: String] = [:], executable: String? = nil,
    output other: FileHandle? = nil
  ) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try executable ?? path())
    process.arguments = arguments
    process.environment = ChildEnvironment.with(
      ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"].merging(settings) { $1 })
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    // Files rather than pipes: a full pipe would stop the program.
    let output = try Self.emptyFile("\(folder)/output")
    let errors = try Self.emptyFile("\(folder)/errors")
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = other ?? output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    return Run(
      code: process.terminationStatus, output: try text("\(folder)/output"),
      errors: try text("\(folder)/errors"))
  }

  /// A server in a scratch folder of its own, not yet started. With a fake store it believes what
  /// that signs.
  static func server(
    believing store: FakeStore? = nil, executable: String? = nil
  ) throws -> ServerChild {
    let signed = try store.map { store in
      """
        appStore: { bundleIds: [\(try store.apps(hasTwo: true))],
          appAppleId: \(try store.text("appAppleId")),
          rootCertificates: ["\(try store.text("root"))"] },
      """
    }
    let body = """
        meters: { credits: { unit: "{credit}" } },
        prices: [{ meter: "credits", price: "0.01", per: "1", currency: "USD" }],
        products: { "com.example.credits.5000": { allowance: { credits: "5000" } } },
      \(signed ?? "")
      """
    return try ServerChild(
      parent: "/tmp", body: body, preferredPort: 0, executable: try executable ?? path())
  }

  private static func emptyFile(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(fileURLWithPath: path))
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }
}
