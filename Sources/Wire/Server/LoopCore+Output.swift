extension LoopCore {
  func markDirty(_ connection: Connection) {
    countOutput(connection)
    guard !connection.isDirty else { return }
    connection.isDirty = true
    dirty.append(connection)
  }

  /// Sends what this turn has written, a connection's answers together.
  func flushDirty() {
    while !dirty.isEmpty {
      let connections = dirty
      dirty = []
      for connection in connections {
        connection.isDirty = false
        guard self.connection(connection.id) != nil else { continue }
        flush(connection)
        finishTurn(of: connection)
      }
    }
    boundOutput()
  }

  private func flush(_ connection: Connection) {
    while !connection.output.isEmpty, !connection.isOutputBlocked {
      switch connection.output.flush(to: connection.descriptor) {
      case .bytes: connection.lastActivity = now
      case .wouldBlock: connection.isOutputBlocked = true
      case .failed:
        abort(connection)
        return
      }
    }
    countOutput(connection)
    if connection.block == .unread, connection.unread < options.outputBytes { unblock(connection) }
    if connection.output.isEmpty, connection.closesWhenFlushed { endOutput(connection) }
  }

  /// Closes, but reads on for a while if the peer may still be sending: closing over unread bytes
  /// would make the kernel take the last answer back.
  private func endOutput(_ connection: Connection) {
    guard !connection.inputEnded, !connection.isLingering else {
      if !connection.isLingering { remove(connection) }
      return
    }
    System.shutdownWriting(connection.descriptor)
    if connection.isStream { streamHeld -= connection.held.count }
    connection.speech = .lingering
    connection.parser.dropBody()
    connection.held = []
    connection.block = nil
    release(connection.reserved)
    connection.reserved = 0
  }

  func write(_ id: ConnectionID, _ bytes: [UInt8]) {
    guard let connection = connection(id), connection.isStream, !connection.closesWhenFlushed
    else { return }
    connection.awaitsAck = false
    connection.output.append(bytes)
    markDirty(connection)
  }

  func close(_ id: ConnectionID) {
    guard let connection = connection(id), connection.isStream else { return }
    connection.closesWhenFlushed = true
    markDirty(connection)
  }
}
