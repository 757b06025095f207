import Sidecar

/// `outlay verify`
enum Verify: Subcommand {
  static let syntax = CommandSyntax(
    "verify", "recompute all sums from single readings and compare",
    options: [.configuration],
    notes: ["Needs the store for itself: stop the server first."])

  static func run(_ arguments: CommandArguments, environment: [String: String]) -> Int32 {
    runVerify(configurationPath: arguments.text("--config"), environment: environment)
  }
}
