import Sidecar

/// `outlay respond`
enum Respond: Subcommand {
  static let syntax = CommandSyntax(
    "respond", "answer Apple's refund requests, beside a running server",
    options: [
      .configuration,
      OptionSyntax("--dry-run", "CASE", "print what would be sent for a case, and why"),
      OptionSyntax("--test", nil, "ask Apple for a test notification and wait for it"),
      .environment, .bundle, .socket,
    ],
    notes: [
      "Without --dry-run and --test it runs in the foreground until SIGTERM. The configuration's",
      "responder section says whether it sends (mode \"send\") or only tells what it would.",
      "--environment and --bundle go with --test, --socket with --dry-run.",
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    let file = arguments.text("--config")
    if let id = arguments.text("--dry-run") {
      if arguments.has("--test") { throw UsageFault("--dry-run and --test exclude each other") }
      return try RespondCommand.dryRun(
        case: id, configuration: file, address: try arguments.server(environment),
        environment: environment)
    }
    if arguments.has("--test") {
      return try RespondCommand.test(
        AppStoreSession(file: file, environment: environment),
        in: arguments.text("--environment"), bundle: arguments.text("--bundle"))
    }
    return runRespond(configurationPath: file, environment: environment)
  }
}

extension OptionSyntax {
  /// Where purchases are made.
  static let environment = OptionSyntax(
    "--environment", "NAME", "Production (the default) or Sandbox")
  /// Which app.
  static let bundle = OptionSyntax("--bundle", "ID", "the app, where the configuration has several")
}
