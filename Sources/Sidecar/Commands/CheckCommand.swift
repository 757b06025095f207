import Metering

/// `outlay check`: every fault of a configuration at once.
package enum CheckCommand {
  /// Prints what is in force when asked to. Throws what is wrong with the configuration, or that it
  /// can't be read.
  package static func run(
    file: String?, prints: Bool, environment: [String: String]
  ) throws -> Int32 {
    switch ServiceSetup.load(file, environment: environment) {
    case .success(let setup):
      if prints { Console.print(setup.configuration.print()) }
      return ExitCode.success
    case .failure(let failure):
      throw failure.refusal(of: file ?? environment["OUTLAY_CONFIG"] ?? "")
    }
  }
}
