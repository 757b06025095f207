import Foundation
import Sidecar

/// `outlay demo`
enum Demo: Subcommand {
  static let syntax = CommandSyntax(
    "demo", "purchases, some thousand events, what they cost, and refund requests",
    options: [OptionSyntax("--once", nil, "end after printing instead of staying")])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    try DemoCommand(endsAtOnce: arguments.has("--once")).run(temporaryFolder: folder)
    return ExitCode.success
  }
}
