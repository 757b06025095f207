import Sidecar

/// `outlay backup`
enum Backup: Subcommand {
  static let syntax = CommandSyntax(
    "backup", "copy the store to a folder that isn't there yet", operands: ["FOLDER"],
    options: [.configuration, .store],
    notes: [
      "The store may be in use: the copy has every event that was acknowledged before the start.",
      "It is FOLDER.unfinished until it is whole and on disk. The configuration isn't in it.",
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    guard let target = arguments.operands.first, !target.isEmpty else {
      throw UsageFault("FOLDER is empty")
    }
    return try BackupCommand.run(
      target: target, store: arguments.text("--store"),
      configuration: arguments.text("--config"), environment: environment)
  }
}
