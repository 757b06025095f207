import Sidecar

/// `outlay costs`
enum Costs: Subcommand {
  static let syntax = CommandSyntax(
    "costs", "show what usage has cost, by day or month",
    options: [
      .configuration, .socket,
      OptionSyntax("--from", "TIME", "first day or instant"),
      OptionSyntax("--to", "TIME", "day or instant where it ends, not included"),
      OptionSyntax("--window", "day|month", "how long a row is"),
      OptionSyntax("--group-by", "LIST", "meter,product or one of them"),
      OptionSyntax("--environment", "NAME", "Production, Sandbox or unknown"),
      OptionSyntax("--csv", nil, "print CSV"), .json,
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    guard arguments.has("--from"), arguments.has("--to") else {
      throw UsageFault("--from and --to are needed")
    }
    if arguments.has("--csv") && arguments.has("--json") {
      throw UsageFault("--csv and --json exclude each other")
    }
    var command = CostsCommand()
    command.from = arguments.text("--from")
    command.to = arguments.text("--to")
    command.window = arguments.text("--window")
    command.groupBy = arguments.text("--group-by")
    command.environment = arguments.text("--environment")
    if arguments.has("--csv") { command.format = .csv }
    if arguments.has("--json") { command.format = .json }
    try command.run(address: arguments.server(environment))
    return ExitCode.success
  }
}
