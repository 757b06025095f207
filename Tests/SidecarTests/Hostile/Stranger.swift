import Foundation

@testable import Sidecar

/// A process of another user at a server's socket, as stranger.py plays him.
final class Stranger {
  struct Gone: Error {}

  /// Nobody's, who exists everywhere.
  static let user: uid_t = 65_534
  /// Only root can become somebody else.
  static let isPossible = getuid() == 0

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Opens the server's socket to everybody and sends the stranger there.
  init(at server: ServerChild) throws {
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o711], ofItemAtPath: server.folder)
    try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: server.socketPath)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("stranger.py").path
    process.executableURL = URL(fileURLWithPath: try FakeStore.python())
    process.arguments = ["-B", script, server.socketPath, "\(Self.user)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Has him do something; what he says of it.
  func command(_ words: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(words)\n".utf8))
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    throw Gone()
  }

  /// Sends him away, with all that he holds.
  func finish() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
