/// Who gets a place at a listener, and who gives way.
extension LoopCore {
  /// Whether a listener has a place for one more connection of a user, perhaps one that another
  /// has just given up.
  func hasPlace(_ index: Int, for user: UInt32?) -> Bool {
    if hasRoom(index) && hasShare(index, user) { return true }
    endGone(of: index)
    // Only his own may go where his share is used up: the rest belongs to others.
    if !hasShare(index, user) { return endIdlest(of: index) { $0.user == user } }
    return hasRoom(index) || endIdlest(of: index) { _ in true }
  }

  private func hasRoom(_ index: Int) -> Bool {
    listeners[index].connections < listeners[index].capacity
  }

  private func hasShare(_ index: Int, _ user: UInt32?) -> Bool {
    guard let user else { return true }
    return listeners[index].users[user, default: 0] < listeners[index].share
  }

  /// Forgets requests whose peers have gone. While nothing of them is read, as when their bodies
  /// wait for room, the kernel doesn't say so by itself; once in a turn it is asked.
  func endGone(of index: Int) {
    guard goneTurn != turn else { return }
    goneTurn = turn
    let unheard = table.compactMap { $0 }.filter {
      $0.listener == index && $0.interest.isEmpty && !$0.isStream
    }
    let gone = System.gone(unheard.map(\.descriptor))
    for (connection, isGone) in zip(unheard, gone) where isGone { abort(connection) }
  }

  /// Looks for such peers now and then, so that nobody works for who has gone.
  func endGoneNowAndThen() {
    guard now - goneLook >= Limits.goneLookNanoseconds else { return }
    goneLook = now
    for index in listeners.indices {
      goneTurn = .max
      endGone(of: index)
    }
  }

  /// Ends the listener's connection that loses least by it; false when all are being served.
  func endIdlest(of index: Int, _ isCandidate: (Connection) -> Bool) -> Bool {
    var spoken = 0
    while let victim = idlest(of: index, isCandidate) {
      // What it said in this turn hasn't been read yet: a rush that comes before the reading ends
      // nobody who asks.
      if victim.lastActivity < now, spoken < Limits.unreadAsked,
        System.hasInput(victim.descriptor)
      {
        victim.lastActivity = now
        spoken += 1
        continue
      }
      figures.count(.gaveWay)
      abort(victim)
      return true
    }
    return false
  }

  private func idlest(of index: Int, _ isCandidate: (Connection) -> Bool) -> Connection? {
    var chosen: (connection: Connection, place: Place)?
    for connection in table {
      guard let connection, connection.listener == index, isCandidate(connection),
        let place = connection.place(at: now)
      else { continue }
      if let chosen,
        (chosen.place, chosen.connection.lastActivity) <= (place, connection.lastActivity)
      {
        continue
      }
      chosen = (connection, place)
    }
    return chosen?.connection
  }

  /// Tells a newcomer without a place so, as far as that is possible without waiting for him.
  func turnAway(_ descriptor: Int32) {
    figures.count(.refused)
    var answer: [UInt8] = []
    HTTPResponseEncoder.append(
      .problem(
        status: 503, code: "busy", detail: "All connections are in use.",
        headers: [("Retry-After", "1")]),
      manner: HTTPResponseEncoder.Manner(closes: true),
      date: date.bytes(at: System.wallSeconds()), to: &answer)
    _ = answer.withUnsafeBytes { System.send(descriptor, $0) }
    System.close(descriptor)
  }

  // MARK: Unread output

  /// Brings the sum of unread output up to date after a connection's has changed.
  func countOutput(_ connection: Connection) {
    let unread = connection.unread
    figures.unreadBytes += unread - connection.counted
    connection.counted = unread
    figures.mostUnreadBytes = max(figures.mostUnreadBytes, figures.unreadBytes)
  }

  /// Cuts off who takes nothing while the others' output has no room: first who has taken nothing
  /// for longest. One alone is never cut off: its answer is no larger than it has to be.
  func boundOutput() {
    while figures.unreadBytes > options.outputPoolBytes {
      let holders = table.compactMap { $0 }.filter { $0.unread > 0 }
      let slowest = holders.min { ($0.lastActivity, $0.id.raw) < ($1.lastActivity, $1.id.raw) }
      guard let slowest, holders.count > 1 else { return }
      figures.count(.unread)
      abort(slowest)
    }
  }
}
