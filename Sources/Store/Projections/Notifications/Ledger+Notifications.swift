import Metering

extension Ledger {
  /// Remembers the table's notifications and forgets some of those that are too old to come again,
  /// as seen from the newest receipt.
  func flushNotifications(_ table: Memtable, newest: Int64) throws {
    guard !table.notifications.isEmpty else { return }
    let put = try connection.prepare("INSERT OR REPLACE INTO seen VALUES (?, ?)")
    for (id, at) in table.notifications {
      put.bind(1, id)
      put.bind(2, at)
      try put.run()
    }
    let forget = try connection.prepare(
      """
      DELETE FROM seen WHERE notification IN
        (SELECT notification FROM seen WHERE at < ? ORDER BY at LIMIT ?)
      """)
    forget.bind(1, newest - Limits.notificationMicroseconds)
    forget.bind(2, Int64(table.notifications.count + StoreLimits.forgottenNotifications))
    try forget.run()
  }
}

extension LedgerView {
  /// Whether the ledger remembers a notification.
  func hasSeen(notification id: ByteString) throws -> Bool {
    let statement = try connection.prepare("SELECT 1 FROM seen WHERE notification = ?")
    statement.bind(1, id)
    defer { statement.reset() }
    return try statement.step()
  }
}
