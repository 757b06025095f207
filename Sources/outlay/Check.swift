import Sidecar

/// `outlay check`
enum Check: Subcommand {
  static let syntax = CommandSyntax(
    "check", "name every fault of a configuration",
    options: [.configuration, OptionSyntax("--print", nil, "print what is in force, as JSON")],
    notes: ["Faults are FILE:LINE:COLUMN: PATH: MESSAGE on standard error, with exit code 78."])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    let file = arguments.text("--config")
    guard (file ?? environment["OUTLAY_CONFIG"]) != nil else {
      throw UsageFault("--config is missing")
    }
    return try CheckCommand.run(
      file: file, prints: arguments.has("--print"), environment: environment)
  }
}
