extension LoopCore {
  /// Connections taken from one listener in a turn, so that a rush of them doesn't hold it up.
  private static let acceptsPerTurn = 64

  func listen(
    _ address: ListenAddress, http: any HTTPService, stream: (any StreamService)?
  ) throws(WireError) -> String {
    let listener = try Listener.open(
      address, http: http, stream: stream, capacity: capacity(of: address))
    System.changePoll(
      poller, .add, listener.descriptor, .input, tag: Self.tag(listener: listeners.count))
    listeners.append(listener)
    return listener.name
  }

  /// How many connections a listener may have: no more than leave descriptors to the store.
  private func capacity(of address: ListenAddress) -> Int {
    guard case .unix = address else { return options.scrapeConnections }
    let left = System.descriptorLimit - Limits.reservedDescriptors - options.scrapeConnections
    return min(options.connections, max(Limits.leastConnections, left))
  }

  func accept(_ index: Int) {
    for _ in 0..<Self.acceptsPerTurn {
      guard listeners[index].isAccepting else { return }
      switch System.accept(listeners[index].descriptor) {
      case .connection(let descriptor):
        let user = listeners[index].isUnix ? System.user(of: descriptor) : nil
        if hasPlace(index, for: user) {
          admit(descriptor, index, user)
        } else {
          turnAway(descriptor)
        }
      case .none: return
      case .exhausted:
        // A place given up is a descriptor for the next one.
        if endIdlest(of: index, { _ in true }) { continue }
        setAccepting(index, false)
        listeners[index].pausedUntil = now + Self.acceptRest
        nextDeadline = min(nextDeadline, listeners[index].pausedUntil)
        return
      }
    }
  }

  private func admit(_ descriptor: Int32, _ index: Int, _ user: UInt32?) {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = table.count
      table.append(nil)
      generations.append(0)
    }
    let listener = listeners[index]
    if !listener.isUnix { System.sendAtOnce(descriptor) }
    let connection = Connection(
      id: ConnectionID(slot: slot, generation: generations[slot]), descriptor: descriptor,
      listener: index, user: user, now: now, http: listener.http, stream: listener.stream,
      bodyLimit: options.bodyBytes)
    table[slot] = connection
    open += 1
    listeners[index].connections += 1
    if let user { listeners[index].users[user, default: 0] += 1 }
    updateInterest(connection)
    updateDeadline(connection)
  }

  /// Forgets a connection and closes its socket.
  func remove(_ connection: Connection) {
    guard self.connection(connection.id) != nil else { return }
    let slot = connection.id.slot
    System.close(connection.descriptor)
    connection.presence.end()
    table[slot] = nil
    // Two generations are never used: their names would look like the listeners' and the waker's.
    generations[slot] = generations[slot] < UInt32.max - 2 ? generations[slot] + 1 : 0
    freeSlots.append(slot)
    open -= 1
    // Before its room is given to the next, whoever still knows the connection.
    connection.parser.dropBody()
    release(connection.reserved)
    connection.reserved = 0
    if connection.isStream { streamHeld -= connection.held.count }
    figures.unreadBytes -= connection.counted
    connection.counted = 0
    listeners[connection.listener].connections -= 1
    if let user = connection.user {
      let left = listeners[connection.listener].users[user, default: 1] - 1
      listeners[connection.listener].users[user] = left > 0 ? left : nil
    }
  }

  /// Removes a connection that can't go on, and tells its stream service.
  func abort(_ connection: Connection) {
    guard self.connection(connection.id) != nil else { return }
    remove(connection)
    if case .stream(let handle, let service) = connection.speech, !connection.closesWhenFlushed {
      service.aborted(handle)
    }
  }

  /// Accepts again where descriptors had run out a while ago.
  func restAccepting() {
    for index in listeners.indices where listeners[index].pausedUntil != .min {
      if now >= listeners[index].pausedUntil {
        listeners[index].pausedUntil = .min
        setAccepting(index, true)
      } else {
        nextDeadline = min(nextDeadline, listeners[index].pausedUntil)
      }
    }
  }

  private func setAccepting(_ index: Int, _ accepting: Bool) {
    guard stopDeadline == nil, listeners[index].isAccepting != accepting else { return }
    listeners[index].isAccepting = accepting
    System.changePoll(
      poller, .modify, listeners[index].descriptor, accepting ? .input : [],
      tag: Self.tag(listener: index))
  }

  // MARK: Stopping

  func closeListeners() {
    for index in listeners.indices where stopDeadline == nil {
      listeners[index].isAccepting = false
      listeners[index].close()
    }
  }

  func beginStopping(_ deadline: Int64) {
    guard stopDeadline == nil else { return }
    closeListeners()
    stopDeadline = deadline
    isIngestPaused = false
    for connection in table {
      guard let connection else { continue }
      switch connection.speech {
      case .stream(let handle, let service): finish(connection, handle, service)
      case .lingering: break
      case .undecided, .http:
        // What came behind the requests in flight was never taken.
        if connection.inFlight > 0, connection.block != nil || !connection.held.isEmpty {
          connection.held = []
          connection.block = nil
          connection.isClosing = true
        }
        // Idle: nothing was promised, and waiting for the peer to notice would delay the end.
        if isLastAnswer(connection), connection.output.isEmpty { remove(connection) }
      }
      finishTurn(of: connection)
    }
  }

  /// True when everything is closed, by itself or by force.
  func finishStopping(_ deadline: Int64) -> Bool {
    if open > 0, now >= deadline {
      for connection in table {
        if let connection { abort(connection) }
      }
    }
    return open == 0
  }
}
