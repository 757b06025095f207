import Wire

/// Round trips of one event on an otherwise idle server, each followed by one synced write to a
/// file of our own on the same disk, so that both see the same minute.
struct BenchSingle {
  /// Nanoseconds, sorted.
  struct Result {
    var roundTrips: [UInt64] = []
    var syncs: [UInt64] = []
  }

  /// Sends `count` events one by one. Throws when the server or the disk fails.
  static func run(
    count: Int, events: BenchEvents, folder: String, address: ServerAddress
  ) throws(CommandFailure) -> Result {
    let file = try CommandSystem.SyncedFile(path: "\(folder)/sync.scratch")
    var events = events
    var buffer: [UInt8] = []
    var result = Result()
    var progress = ProgressLine("sent", of: count)
    defer { progress.clear() }
    do {
      let stream = try UnixStreamConnection(path: address.path)
      for index in 0..<count {
        if CommandSystem.isEndRequested { throw CommandFailure("interrupted") }
        progress.show(index)
        let filled = events.fill(&buffer, chunk: index, limit: 1)
        let line = Array(buffer[..<filled.bytes])
        let started = CommandSystem.monotonicNanoseconds()
        try stream.write(line)
        let answers = try stream.readLines(waitMilliseconds: 10_000)
        let answered = CommandSystem.monotonicNanoseconds()
        guard !answers.isEmpty else { throw CommandFailure("no answer to event \(index)") }
        try file.writeAndSync()
        result.roundTrips.append(answered - started)
        result.syncs.append(CommandSystem.monotonicNanoseconds() - answered)
      }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure("\(error)")
    }
    result.roundTrips.sort()
    result.syncs.sort()
    return result
  }
}
