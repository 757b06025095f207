import Sidecar

/// `outlay extend`
enum Extend: Subcommand {
  static let syntax = CommandSyntax(
    "extend", "give a subscriber days before the next renewal", operands: ["SUBSCRIPTION"],
    options: [
      .configuration, OptionSyntax("--days", "N", "days to give, 1 to 90"),
      OptionSyntax("--reason", "WORD", "undeclared, satisfaction, other or outage (undeclared)"),
      .environment, .bundle, OptionSyntax("--yes", nil, "don't ask"),
    ],
    notes: ["SUBSCRIPTION is an originalTransactionId. Asks first, since it can't be undone."])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    guard let days = try arguments.number("--days", in: ExtendCommand.days) else {
      throw UsageFault("--days is missing")
    }
    let command = try ExtendCommand(
      subscription: arguments.operands[0], days: days, reason: arguments.text("--reason"),
      environment: arguments.text("--environment"), bundle: arguments.text("--bundle"))
    return try command.run(
      AppStoreSession(file: arguments.text("--config"), environment: environment),
      isSure: arguments.has("--yes"))
  }
}
