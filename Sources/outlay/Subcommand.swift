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
    "--socket", "PATH", "the server's socket (else OUTLAY_SOCKET, else the configuration's)")
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
  /// The server that `--socket`, the configuration or the environment names. Throws what is wrong
  /// with the configuration.
  func server(_ environment: [String: String]) throws -> ServerAddress {
    try ServerAddress(
      given: text("--socket"), configuration: text("--config"), environment: environment)
  }
}
