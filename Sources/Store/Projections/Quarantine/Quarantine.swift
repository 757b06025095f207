import Metering

extension Ledger {
  /// Writes kept events, and takes out those let go.
  func flushQuarantine(_ table: Memtable) throws {
    let keep = try connection.cached("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)")
    let release = try connection.cached("DELETE FROM quarantine WHERE location = ?")
    for (location, event) in table.quarantine {
      let statement = event == nil ? release : keep
      statement.bind(1, Int64(bitPattern: location))
      if let event {
        statement.bind(2, Int64(event.code))
        statement.bind(3, event.receivedAt)
        statement.bind(4, event.raw)
      }
      try statement.run()
    }
  }
}

extension LedgerView {
  /// The first kept events behind a location, or of all, among those that `isKept`.
  func quarantined(
    after location: UInt64?, limit: Int, where isKept: (UInt64) -> Bool
  ) throws -> [KeptEvent] {
    let statement = try connection.cached(
      "SELECT location, received, raw FROM quarantine WHERE location > ? ORDER BY location")
    statement.bind(1, location.map { Int64(bitPattern: $0) } ?? .min)
    defer { statement.reset() }
    var events: [KeptEvent] = []
    while events.count < limit, try statement.step() {
      let place = UInt64(bitPattern: statement.integer(0))
      guard isKept(place) else { continue }
      events.append(
        KeptEvent(
          location: place, receivedAt: statement.integer(1), raw: Array(statement.blob(2))))
    }
    return events
  }
}
