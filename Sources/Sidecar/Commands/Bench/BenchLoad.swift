import Metering
import Wire

/// Sends chunks over many connections from one thread and times their acknowledgements.
struct BenchLoad {
  /// What a run has shown.
  struct Result {
    var events = 0
    var accepted = 0
    var duplicates = 0
    var conflicts = 0
    var rejected = 0
    var seconds = 0.0
    /// Events a second by tenths of the run.
    var tenths: [Double] = []
    /// From a chunk's first byte to its acknowledgement, nanoseconds, sorted.
    var latencies: [UInt64] = []
  }

  private struct Flight {
    var lines: Int
    var started: UInt64
  }

  private final class Connection {
    let stream: UnixStreamConnection
    var buffer: [UInt8] = []
    var written = 0
    var end = 0
    var sentLines = 0
    var counts = SendWindow.Counts()
    var flights: [Flight] = []

    init(_ stream: UnixStreamConnection) {
      self.stream = stream
    }
  }

  private let options: BenchOptions
  private var events: BenchEvents
  private var connections: [Connection] = []
  private var nextChunk = 0
  private var unsent: Int
  private var acknowledged = 0
  private var result = Result()
  private var tenthStart: UInt64 = 0

  /// Opens the connections. Throws when the server doesn't listen.
  init(_ options: BenchOptions, events: BenchEvents, address: ServerAddress) throws(CommandFailure)
  {
    self.options = options
    self.events = events
    unsent = options.events
    for _ in 0..<options.connections {
      do throws(WireError) {
        connections.append(Connection(try UnixStreamConnection(path: address.path)))
      } catch {
        throw CommandFailure("\(error)")
      }
    }
  }

  /// Sends everything and waits for the last acknowledgement. Throws when a connection breaks or
  /// when the server counts otherwise than was sent.
  mutating func run() throws(CommandFailure) -> Result {
    let started = CommandSystem.monotonicNanoseconds()
    tenthStart = started
    var progress = ProgressLine("acknowledged", of: options.events)
    defer { progress.clear() }
    while acknowledged < options.events {
      if CommandSystem.isEndRequested { throw CommandFailure("interrupted") }
      progress.show(acknowledged)
      for connection in connections { try write(connection) }
      var interests = connections.map {
        CommandSystem.Interest(
          $0.stream.descriptor, input: true, output: $0.written < $0.end)
      }
      CommandSystem.poll(&interests, milliseconds: 1000)
      let now = CommandSystem.monotonicNanoseconds()
      for (index, interest) in interests.enumerated() where interest.isReadable {
        try read(connections[index], now: now)
      }
    }
    result.seconds = Double(CommandSystem.monotonicNanoseconds() - started) / 1e9
    result.events = options.events
    for connection in connections {
      result.accepted += connection.counts.accepted
      result.duplicates += connection.counts.duplicates
      result.conflicts += connection.counts.conflicts
      result.rejected += connection.counts.rejected
      connection.stream.finishWriting()
    }
    result.latencies.sort()
    guard result.duplicates == events.duplicates, result.conflicts + result.rejected == 0 else {
      throw CommandFailure(
        "the server counts \(result.duplicates) duplicates instead of \(events.duplicates), "
          + "\(result.conflicts) conflicts and \(result.rejected) rejected instead of none")
    }
    return result
  }

  private mutating func write(_ connection: Connection) throws(CommandFailure) {
    while true {
      if connection.written == connection.end {
        guard unsent > 0, connection.flights.count < options.outstanding else { return }
        let filled = events.fill(&connection.buffer, chunk: nextChunk, limit: unsent)
        nextChunk += 1
        unsent -= filled.lines
        connection.sentLines += filled.lines
        connection.written = 0
        connection.end = filled.bytes
        connection.flights.append(
          Flight(
            lines: connection.sentLines, started: CommandSystem.monotonicNanoseconds()))
      }
      let count = connection.buffer.withUnsafeBytes {
        CommandSystem.sendNow(
          connection.stream.descriptor,
          UnsafeRawBufferPointer(rebasing: $0[connection.written..<connection.end]))
      }
      guard let count else {
        throw CommandFailure("the server closed a connection: \(lastWords(connection))")
      }
      if count == 0 { return }
      connection.written += count
    }
  }

  private func lastWords(_ connection: Connection) -> String {
    let lines = (try? connection.stream.readLines(waitMilliseconds: 0)) ?? []
    return lines.last.map { String(decoding: $0, as: UTF8.self) } ?? "without a word"
  }

  private mutating func read(_ connection: Connection, now: UInt64) throws(CommandFailure) {
    let lines: [[UInt8]]
    do throws(WireError) {
      lines = try connection.stream.readLines(waitMilliseconds: 0)
    } catch {
      throw CommandFailure("\(error)")
    }
    for line in lines {
      guard let node = try? JSONNode.parse(line, dialect: .strict),
        let total = node["lines"]?.integer
      else {
        throw CommandFailure("the server answered: \(String(decoding: line, as: UTF8.self))")
      }
      advance(to: acknowledged + Int(total) - connection.counts.lines, now: now)
      connection.counts.lines = Int(total)
      connection.counts.accepted = Int(node["accepted"]?.integer ?? 0)
      connection.counts.duplicates = Int(node["duplicates"]?.integer ?? 0)
      connection.counts.conflicts = Int(node["conflicts"]?.integer ?? 0)
      connection.counts.rejected = Int(node["rejected"]?.integer ?? 0)
      while let flight = connection.flights.first, flight.lines <= total {
        result.latencies.append(now - flight.started)
        connection.flights.removeFirst()
      }
    }
    if connection.stream.isEnded, !connection.flights.isEmpty {
      throw CommandFailure("the server closed a connection")
    }
  }

  /// Notes when each tenth of all events was acknowledged.
  private mutating func advance(to total: Int, now: UInt64) {
    acknowledged = total
    let tenth = max(options.events / 10, 1)
    while result.tenths.count < 10, acknowledged >= tenth * (result.tenths.count + 1) {
      result.tenths.append(Double(tenth) / (Double(max(now - tenthStart, 1)) / 1e9))
      tenthStart = now
    }
  }
}
