import Metering

extension Ledger {
  /// Writes the table's event keys as a run, nil without any.
  func flushKeys(_ table: Memtable) throws -> Run? {
    let entries = table.keys.entries
    guard let any = entries.first else { return nil }
    var least = any.location.raw
    var most = least
    for entry in entries {
      least = min(least, entry.location.raw)
      most = max(most, entry.location.raw)
    }
    var writer = try KeyRunWriter(
      connection, Run(kind: .keys, flushing: table, locations: least...most),
      expected: entries.count)
    try entries.withUnsafeBufferPointer { entries in
      let order = HashOrder.numbers(count: entries.count) { entries[$0].key }
      var ahead = LookAhead()
      for (place, number) in order.enumerated() {
        if place % LookAhead.window == 0 {
          for number in order[place...].prefix(LookAhead.window) {
            ahead.note(entries[Int(number)].fingerprint)
          }
        }
        try writer.add(entries[Int(number)])
      }
    }
    return try writer.finish(isLive: true)
  }
}

extension LedgerView {
  /// Looks a key up in a run's block: exact.
  func entry(of key: Hash128, in run: Run) throws -> KeyEntry? {
    var found: KeyEntry?
    try withBlock(of: key, run: run.id) { found = try KeyBlock.find(key, in: $0, id: $1) }
    return found
  }
}
