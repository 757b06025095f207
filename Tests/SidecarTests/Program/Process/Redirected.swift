import Foundation

@testable import Sidecar

/// The built program behind a line of the shell that redirects what it is given.
final class Redirected {
  /// A script that becomes the program, with the arguments that it gets.
  let script: String
  let folder: String

  /// `redirection` stands behind the program, such as `2>/dev/full`; `before` is run first.
  init(_ redirection: String, before: String = "") throws {
    folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    script = "\(folder)/outlay"
    try CommandSystem.writeFile(
      script, "#!/bin/sh\n\(before)\nexec \(try Binary.path()) \"$@\" \(redirection)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
  }

  deinit { CommandSystem.removeFolder(folder) }

  /// A server that is started like this, not yet running.
  func server() throws -> ServerChild { try Binary.server(executable: script) }

  /// Runs a subcommand to its end; what the redirection leaves of its output is told.
  func run(_ arguments: [String]) throws -> Binary.Run {
    try Binary.run(arguments, executable: script)
  }
}

extension ServerChild {
  /// Makes the server read a file again.
  func reload(_ configuration: String) throws {
    try CommandSystem.writeFile(configurationPath, configuration)
    CommandSystem.signal(processIdentifier, SIGHUP)
  }

  /// Waits until a metric has a value that will do; false when it never gets one.
  func waits(for metric: String, _ isEnough: (Double) -> Bool) throws -> Bool {
    try Patience.waits { isEnough(try MetricsPage(address).value(metric)) }
  }
}
