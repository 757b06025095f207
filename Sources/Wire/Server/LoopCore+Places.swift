/// Who gets a place at a listener, and who gives way.
extension LoopCore {
  /// Whether a listener has a place for one more connection of a user, perhaps one that another
  /// has just given up.
  func hasPlace(_ index: Int, for user: UInt32?) -> Bool {
    let listener = listeners[index]
    if let user, listener.users[user, default: 0] >= listener.share {
      // Only his own may go: the rest belongs to others.
      return endIdlest(of: index) { $0.user == user }
    }
    if listener.connections < listener.capacity { return true }
    return endIdlest(of: index) { _ in true }
  }

  /// Ends the listener's connection that loses least by it; false when all are being served.
  func endIdlest(of index: Int, _ isCandidate: (Connection) -> Bool) -> Bool {
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
    guard let victim = chosen?.connection else { return false }
    figures.count(.gaveWay)
    abort(victim)
    return true
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
