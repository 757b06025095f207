import Metering

/// `outlay check`: every fault of a configuration at once.
package enum CheckCommand {
  /// Names faults on standard error, or prints what is in force. Returns 0 or 78.
  /// Throws when the file can't be read.
  package static func run(
    file: String, prints: Bool, environment: [String: String]
  ) throws(CommandFailure) -> Int32 {
    switch ServiceSetup.load(file, environment: environment) {
    case .success(let setup):
      if prints { Console.print(setup.configuration.print()) }
      return ExitCode.success
    case .failure(.unreadable(let reason)):
      throw CommandFailure(reason)
    case .failure(.faulty(let faults)):
      for fault in faults { Console.complain("\(file):\(fault)") }
      return ExitCode.configuration
    }
  }
}
