extension LoopCore {
  /// A connection's part of a turn: one read at most.
  func serve(_ connection: Connection, _ readiness: System.Readiness) {
    if readiness.contains(.output)
      || (connection.isOutputBlocked && !readiness.isDisjoint(with: .hangup))
    {
      connection.isOutputBlocked = false
      markDirty(connection)
    }
    if connection.isStream, isIngestPaused || streamHeld >= Limits.streamHeldBytes {
      park(connection)
    }
    if wantsInput(connection), readiness != .output { read(connection) }
    finishTurn(of: connection)
  }

  /// After anything that may have changed what the connection waits for.
  func finishTurn(of connection: Connection) {
    guard self.connection(connection.id) != nil else { return }
    updateInterest(connection)
    updateDeadline(connection)
  }

  private func read(_ connection: Connection) {
    let size = readSize(connection)
    let window = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
    switch System.receive(connection.descriptor, into: window) {
    case .bytes(0): endInput(connection)
    case .bytes(let count):
      bytesRead += count
      connection.lastActivity = now
      take(connection, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .wouldBlock: break
    case .failed: abort(connection)
    }
  }

  /// Streams read their fair part of the turn; requests little more than they certainly need,
  /// since what can't be parsed yet is kept.
  private func readSize(_ connection: Connection) -> Int {
    let fair = min(
      Limits.readBytes, max(Limits.fairReadBytes, Limits.turnReadBytes / readyCount))
    if connection.isStream || connection.isLingering { return fair }
    return min(fair, max(Limits.fairReadBytes, connection.parser.expectedBytes))
  }

  func take(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
    if case .undecided = connection.speech { decide(connection, bytes[0]) }
    switch connection.speech {
    case .undecided, .lingering: break
    case .http: parse(connection, bytes)
    case .stream(let handle, let service):
      deliver(connection, bytes, to: handle, service)
    }
  }

  /// Hands a stream's lines on; what the service doesn't take now is kept for its next turn.
  private func deliver(
    _ connection: Connection, _ bytes: UnsafeRawBufferPointer, to handle: StreamHandle,
    _ service: any StreamService
  ) {
    connection.servedTurn = turn
    connection.awaitsAck = true
    var rest = bytes
    while !connection.closesWhenFlushed, let output = connection.framer.next(&rest) {
      connection.hasSpoken = true
      switch output {
      case .lines(let lines):
        let taken = service.receive(handle, lines)
        if taken < lines.count {
          return hold(connection, UnsafeRawBufferPointer(rebasing: lines[taken...]), rest)
        }
      case .joined(let line):
        let isTaken = line.withUnsafeBytes { service.receive(handle, $0) } > 0
        if !isTaken { return line.withUnsafeBytes { hold(connection, $0, rest) } }
      case .tooLong: service.tooLong(handle)
      }
    }
  }

  private func hold(
    _ connection: Connection, _ lines: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer
  ) {
    connection.held.reserveCapacity(lines.count + rest.count)
    connection.held += lines
    connection.held += rest
    streamHeld += connection.held.count
    figures.mostHeldBytes = max(figures.mostHeldBytes, streamHeld)
    park(connection)
  }

  /// Hands a stream's kept lines on.
  func resumeStream(_ connection: Connection) {
    guard case .stream(let handle, let service) = connection.speech, !connection.toldFinished,
      !connection.held.isEmpty
    else { return }
    let bytes = connection.held
    connection.held = []
    streamHeld -= bytes.count
    bytes.withUnsafeBytes { deliver(connection, $0, to: handle, service) }
    if connection.inputEnded, connection.held.isEmpty { finish(connection, handle, service) }
  }

  private func decide(_ connection: Connection, _ first: UInt8) {
    if ASCII.isUpper(first) {
      connection.speech = .http
    } else if first == UInt8(ascii: "{"), let service = connection.streamService, let loop {
      let handle = StreamHandle(loop: loop, connection: connection.id)
      connection.speech = .stream(handle, service)
      service.opened(handle)
    } else {
      connection.speech = .http
      refuse(connection, .firstByte)
    }
  }

  private func endInput(_ connection: Connection) {
    connection.inputEnded = true
    switch connection.speech {
    case .undecided, .lingering: remove(connection)
    case .http:
      connection.isClosing = true
      closeIfDone(connection)
    case .stream(let handle, let service):
      if let line = connection.framer.finish() {
        line.withUnsafeBytes { deliver(connection, $0, to: handle, service) }
      }
      if connection.held.isEmpty { finish(connection, handle, service) }
    }
  }

  func finish(_ connection: Connection, _ handle: StreamHandle, _ service: any StreamService) {
    guard !connection.toldFinished, !connection.closesWhenFlushed else { return }
    connection.toldFinished = true
    service.finished(handle)
  }

  // MARK: Interest

  func wantsInput(_ connection: Connection) -> Bool {
    if connection.inputEnded { return false }
    if connection.isLingering { return true }
    return connection.block == nil && !connection.readPaused && !connection.isParked
      && connection.held.isEmpty && !connection.isClosing && !connection.toldFinished
      && !connection.closesWhenFlushed
      && connection.output.count < options.outputBytes
  }

  /// Tells epoll. Without interest a descriptor is taken out: a hang-up would be reported always.
  func updateInterest(_ connection: Connection) {
    var wanted = System.Readiness([])
    if wantsInput(connection) { wanted.insert(.input) }
    if connection.isOutputBlocked { wanted.insert(.output) }
    guard wanted != connection.interest else { return }
    let change: System.PollChange =
      wanted.isEmpty ? .remove : connection.interest.isEmpty ? .add : .modify
    System.changePoll(poller, change, connection.descriptor, wanted, tag: connection.id.raw)
    connection.interest = wanted
  }

  func park(_ connection: Connection) {
    guard !connection.isParked else { return }
    connection.isParked = true
    parked.append(connection.id)
  }

  func resumeIngest() {
    isIngestPaused = false
    let waiting = parked.compactMap { connection($0) }.sorted { $0.servedTurn < $1.servedTurn }
    parked = []
    for connection in waiting {
      connection.isParked = false
      if connection.block == .ingest {
        unblock(connection)
      } else if connection.isStream, !connection.held.isEmpty {
        resumable.append(connection.id)
      }
      finishTurn(of: connection)
    }
  }

  func setReading(_ id: ConnectionID, paused: Bool) {
    guard let connection = connection(id) else { return }
    connection.readPaused = paused
    finishTurn(of: connection)
  }
}
