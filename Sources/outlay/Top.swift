import Sidecar

/// `outlay top`
enum Top: Subcommand {
  static let syntax = CommandSyntax(
    "top", "watch open refund requests and the dearest purchases at risk",
    options: [
      .configuration, .socket,
      OptionSyntax("--items", "N", "most requests, and most purchases (20)"),
      OptionSyntax("--seconds", "N", "between two looks (2)"),
      OptionSyntax("--once", nil, "print one plain table"), .json,
    ],
    notes: [
      "Refreshes in place on a terminal, where q or Ctrl-C ends it; prints once elsewhere.",
      "Amounts are rounded to a hundredth; --json has all of them. NO_COLOR is honoured.",
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    if arguments.has("--once") && arguments.has("--json") {
      throw UsageFault("--once and --json exclude each other")
    }
    var command = TopCommand(
      address: try arguments.server(environment), environment: environment)
    command.items = try arguments.number("--items", in: 1...1_000) ?? command.items
    command.seconds = try arguments.number("--seconds", in: 1...3_600) ?? command.seconds
    if arguments.has("--once") { command.format = .once }
    if arguments.has("--json") { command.format = .json }
    try command.run()
    return ExitCode.success
  }
}
