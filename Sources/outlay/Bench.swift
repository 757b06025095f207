import Sidecar

/// `outlay bench`
enum Bench: Subcommand {
  static let syntax = CommandSyntax(
    "bench", "measure a server under load, on a scratch folder of its own",
    options: [
      OptionSyntax("--events", "N", "events to send (1000000; with --single 2000)"),
      OptionSyntax("--purchases", "N", "purchases to register first, untimed (events / 5)"),
      OptionSyntax("--connections", "N", "connections (16)"),
      OptionSyntax("--chunk", "BYTES", "bytes written at once (65536)"),
      OptionSyntax("--outstanding", "N", "chunks of a connection that may wait for acks (4)"),
      OptionSyntax("--single", nil, "one event at a time, beside single synced writes"),
      OptionSyntax("--decoder", nil, "the decoder alone"),
      OptionSyntax("--recovery", nil, "kill the server afterwards and time its return"),
      OptionSyntax("--directory", "PATH", "where the scratch folder goes (/var/tmp)"),
      OptionSyntax("--keep", nil, "keep the scratch folder"),
      OptionSyntax("--socket", "PATH", "measure a running server that knows the bench's meters"),
      .json,
    ])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    if arguments.has("--single") && arguments.has("--decoder") {
      throw UsageFault("--single and --decoder exclude each other")
    }
    var options = BenchOptions()
    if arguments.has("--single") { options.mode = .single }
    if arguments.has("--decoder") { options.mode = .decoder }
    options.events =
      try arguments.number("--events", in: 1...1_000_000_000)
      ?? (options.mode == .single ? 2_000 : options.events)
    options.purchases =
      try arguments.number("--purchases", in: 1...10_000_000)
      ?? min(max(options.events / 5, 1), 10_000_000)
    options.connections =
      try arguments.number("--connections", in: 1...256) ?? options.connections
    options.chunkBytes =
      try arguments.number("--chunk", in: 256...1_048_576) ?? options.chunkBytes
    options.outstanding =
      try arguments.number("--outstanding", in: 1...1024) ?? options.outstanding
    options.directory = arguments.text("--directory") ?? options.directory
    options.socket = arguments.text("--socket")
    options.measuresRecovery = arguments.has("--recovery")
    options.keepsFolder = arguments.has("--keep")
    options.printsJSON = arguments.has("--json")
    var command = BenchCommand(options)
    try command.run()
    return ExitCode.success
  }
}
