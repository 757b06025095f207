import Store

/// `outlay backup`: a copy of the store, also beside the server.
package enum BackupCommand {
  /// Copies the store in `store`, else the one that the configuration or the environment names, to
  /// the folder `target`. Returns 0. Throws when the copy can't
  /// be made, or SIGINT or SIGTERM came; nothing is left of it then.
  package static func run(
    target: String, store: String?, configuration: String?, environment: [String: String]
  ) throws -> Int32 {
    let place = try StorePlace.find(
      store: store, configuration: configuration, environment: environment)
    var folder = target
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    CommandSystem.rememberEndSignals()
    let began = CommandSystem.monotonicNanoseconds()
    let made = try copy(place, to: folder)
    let seconds = Double(CommandSystem.monotonicNanoseconds() - began) / 1e9
    Console.print(
      "entries up to \(made.sequence) copied to \(folder): \(made.segments) journal "
        + "\(made.segments == 1 ? "segment" : "segments") and the ledger, "
        + "\(made.bytes / 1_000_000) MB in \(Double(Int(seconds * 10)) / 10) s\n")
    return ExitCode.success
  }

  private static func copy(_ store: String, to folder: String) throws -> Backup {
    var line = PercentLine()
    defer { line.clear() }
    return try Backup.run(
      directory: store, disk: LinuxDisk(root: store, isReadOnly: true), target: folder,
      progress: { stage, share in
        if CommandSystem.isEndRequested { throw CommandFailure("interrupted") }
        line.show(stage == .copying ? "copying" : "checking", share)
      })
  }
}
