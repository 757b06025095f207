import Sidecar

/// One word of the command line.
protocol Subcommand {
  /// What it takes.
  static var syntax: CommandSyntax { get }

  /// Does it; returns the exit code. Throws ``UsageFault`` for arguments that can't be obeyed and
  /// anything else for work that failed.
  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32
}

extension OptionSyntax {
  /// Where the server listens.
  static let socket = OptionSyntax(
    "--socket", "PATH", "the server's socket (else OUTLAY_SOCKET, else the default place)")
  /// The configuration's file.
  static let configuration = OptionSyntax(
    "--config", "FILE", "the configuration (else OUTLAY_CONFIG)")
  /// The store's folder.
  static let store = OptionSyntax(
    "--store", "PATH", "the store's directory, instead of the configuration's")
  /// JSON instead of text.
  static let json = OptionSyntax("--json", nil, "print JSON")
}

extension CommandArguments {
  /// The server that `--socket` or the environment names.
  func server(_ environment: [String: String]) -> ServerAddress {
    ServerAddress(given: text("--socket"), environment: environment)
  }
}
