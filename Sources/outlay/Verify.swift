import Sidecar

/// `outlay verify`
enum Verify: Subcommand {
  static let syntax = CommandSyntax(
    "verify", "recompute every sum from the journal and compare",
    options: [.configuration, .store, .json],
    notes: ["The store may be in use. Exit code 1 tells that something differs."])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    try VerifyCommand.run(
      store: arguments.text("--store"), configuration: arguments.text("--config"),
      asJSON: arguments.has("--json"), environment: environment)
  }
}
