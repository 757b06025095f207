import Sidecar

/// `outlay show`
enum Show: Subcommand {
  static let syntax = CommandSyntax(
    "show", "show what a purchase has used and cost", operands: ["TRANSACTION"],
    options: [.configuration, .socket, .json])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    try ShowCommand.run(
      transaction: arguments.operands[0], asJSON: arguments.has("--json"),
      address: try arguments.server(environment))
    return ExitCode.success
  }
}
