import Wire

/// `outlay send`: events from a file or standard input through the stream protocol. What was not
/// acknowledged when a connection breaks is sent again, which the server takes for duplicates.
package struct SendCommand {
  private var reader: LineReader
  private let address: ServerAddress
  private var window = SendWindow()
  private var connection: UnixStreamConnection?
  private var attempts = 0
  private let showsProgress = CommandSystem.isTerminal(2)
  private let started = CommandSystem.monotonicNanoseconds()
  private var lastProgress: UInt64 = 0

  /// Sends a file, or standard input when `file` is nil or "-".
  /// Throws when the file can't be opened.
  package init(file: String?, address: ServerAddress) throws(CommandFailure) {
    var descriptor: Int32 = 0
    if let file, file != "-" {
      guard let opened = CommandSystem.openForReading(file) else {
        throw CommandFailure("can't open \(file): \(CommandSystem.lastError)")
      }
      descriptor = opened
    }
    reader = LineReader(descriptor: descriptor)
    self.address = address
  }

  /// Sends everything; prints faults and a summary to standard error. Throws when the server stays
  /// away; the exit code is 1 if an event was rejected or in conflict.
  package mutating func run() throws(CommandFailure) -> Int32 {
    // A wrong path is said at once; only a connection that has worked is worth waiting for.
    do throws(WireError) {
      connection = try UnixStreamConnection(path: address.path)
    } catch {
      throw CommandFailure(
        "\(error); is `outlay serve` running, and is this its socket? --socket and --config name it"
      )
    }
    while !(reader.isAtEnd && window.isEmpty) {
      try step()
      progress()
    }
    connection?.finishWriting()
    if showsProgress { Console.clearProgress() }
    let counts = window.counts
    Console.complain(
      "\(counts.lines) events: \(counts.accepted) accepted, \(counts.duplicates) duplicates, "
        + "\(counts.conflicts) conflicts, \(counts.rejected) rejected")
    return counts.conflicts + counts.rejected == 0 ? ExitCode.success : ExitCode.failure
  }

  private mutating func step() throws(CommandFailure) {
    guard let connection else { return try reconnect() }
    let wantsInput = !reader.isAtEnd && !window.isFull
    var interests = [CommandSystem.Interest(connection.descriptor, input: true, output: false)]
    if wantsInput {
      interests.append(CommandSystem.Interest(reader.descriptor, input: true, output: false))
    }
    CommandSystem.poll(&interests, milliseconds: -1)
    if wantsInput && interests[1].isReadable {
      var faults: [String] = []
      try reader.read { line, number in
        if let fault = window.add(line, number: number) { faults.append(fault) }
      }
      faults.forEach(complain)
    }
    do throws(WireError) {
      while let chunk = window.nextChunk() { try connection.write(chunk) }
      let answers = try connection.readLines(waitMilliseconds: 0)
      for answer in answers { take(answer) }
      if connection.isEnded { lose("the server closed the connection") }
    } catch {
      drain(connection)
      lose("\(error)")
    }
  }

  /// What the server said before a write failed still counts.
  private mutating func drain(_ connection: UnixStreamConnection) {
    guard let answers = try? connection.readLines(waitMilliseconds: 0) else { return }
    for answer in answers { take(answer) }
  }

  private mutating func take(_ answer: [UInt8]) {
    switch window.take(answer) {
    case .acknowledged(let faults):
      attempts = 0
      faults.forEach(complain)
    case .noted:
      break
    case .unavailable(let reason):
      lose(reason)
    case .alien(let text):
      lose("unexpected answer: \(text)")
    }
  }

  private mutating func lose(_ reason: String) {
    guard connection != nil else { return }
    connection = nil
    if !(reader.isAtEnd && window.isEmpty) { complain("connection lost: \(reason)") }
  }

  private mutating func reconnect() throws(CommandFailure) {
    guard attempts < CommandLimits.reconnections else {
      throw CommandFailure(
        "gave up after \(attempts) attempts; \(window.counts.lines) events were acknowledged")
    }
    let wait = min(50 << attempts, CommandLimits.reconnectionWaitMilliseconds)
    attempts += 1
    CommandSystem.sleep(milliseconds: wait)
    guard let opened = try? UnixStreamConnection(path: address.path) else { return }
    window.reconnect()
    connection = opened
  }

  private func complain(_ line: String) {
    if showsProgress { Console.clearProgress() }
    Console.complain(line)
  }

  private mutating func progress() {
    guard showsProgress else { return }
    let now = CommandSystem.monotonicNanoseconds()
    guard now - lastProgress > 100_000_000 else { return }
    lastProgress = now
    let seconds = Double(now - started) / 1e9
    let rate = Int(Double(window.counts.lines) / max(seconds, 0.001))
    Console.showProgress("\(window.counts.lines) acknowledged, \(rate) a second")
  }
}
