import Sidecar

/// `outlay send`
enum Send: Subcommand {
  static let syntax = CommandSyntax(
    "send", "send events, one JSON object a line", operands: ["[FILE]"],
    options: [.configuration, .socket],
    notes: [
      "Reads standard input without FILE. What wasn't acknowledged when a connection breaks is",
      "sent again. Exit code 1 if any event was rejected or in conflict.",
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    var command = try SendCommand(
      file: arguments.operands.first, address: try arguments.server(environment))
    return try command.run()
  }
}
