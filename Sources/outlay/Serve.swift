import Sidecar

/// `outlay serve`
enum Serve: Subcommand {
  static let syntax = CommandSyntax(
    "serve", "run the sidecar in the foreground", options: [.configuration],
    notes: [
      "SIGHUP reads the configuration again, SIGTERM ends it after the last acknowledgement."
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) -> Int32 {
    runServe(configurationPath: arguments.text("--config"), environment: environment)
  }
}
