package import Metering

/// What happened when the books were opened, for the operator.
package struct OpeningReport: Sendable {
  /// Where a damaged ledger is now, and what was found; nil when there was none.
  package var setAside: (name: String, damage: String)?
  /// What the journal's end was.
  package var journal: JournalRecovery
}

extension Books {
  /// Opens the books, and makes a ledger that can't be trusted anew from the journal, as long as
  /// that has every entry since the first. The old one is kept under another name.
  package static func open(
    directory: String, disk: any Disk, configuration: Configuration, options: Options = Options(),
    newIdentity: () throws -> StoreIdentity
  ) throws -> (books: Books, report: OpeningReport) {
    func books() throws -> Books {
      try Books(
        directory: directory, disk: disk, configuration: configuration, options: options,
        newIdentity: newIdentity)
    }
    do {
      let opened = try books()
      return (opened, OpeningReport(journal: opened.journal.recovery))
    } catch StoreFault.ledger(let damage) {
      let journal = try Journal.openForReading(disk: disk)
      guard journal.firstSequence == 1 else { throw StoreFault.ledger(damage) }
      let aside = try LedgerFile.setAside(on: disk)
      let opened = try books()
      return (
        opened,
        OpeningReport(setAside: (name: aside, damage: damage), journal: opened.journal.recovery)
      )
    }
  }

  /// Notes damage of the ledger, so that it is made anew.
  func note(_ error: any Error) {
    guard case StoreFault.ledger(let detail) = error else { return }
    lock.withLock {
      damageCount += 1
      if ledgerDamage == nil { ledgerDamage = detail }
    }
  }

  /// Damage of the ledger that was found and isn't mended yet: file and place.
  package var damage: String? { lock.withLock { ledgerDamage } }

  /// Torn ends of the journal that this opening dropped.
  package var droppedTails: UInt64 { journal.recovery.tornAt == nil ? 0 : 1 }

  /// How often damage of the ledger was met.
  package var damagesMet: UInt64 { lock.withLock { damageCount } }

  /// Makes the ledger anew from the journal, while questions and events that don't meet the damage
  /// go on. Background only. Returns the name that the damaged one has now.
  ///
  /// Throws where the journal doesn't have every entry, or can't be read: all stays as it was.
  package func rebuildLedger() throws -> String {
    try flushing.withLock {
      guard journal.firstSequence == 1 else {
        throw StoreFault.damaged("the journal begins at entry \(journal.firstSequence)")
      }
      // What the tables hold goes on from there.
      let covered = lock.withLock { (liveTables.first?.firstSequence ?? 1) - 1 }
      try LedgerFile.remove(LedgerFile.rebuilt, on: disk)
      // For its owner only: SQLite leaves what is there as it is.
      _ = try disk.open(LedgerFile.rebuilt, create: true)
      try makeLedger(through: covered)
      var aside = ""
      try replaceLedger {
        aside = try LedgerFile.setAside(on: disk)
        try disk.rename(LedgerFile.rebuilt, to: LedgerFile.name)
        try disk.syncDirectory("")
        let fresh = try Ledger(path: ledgerPath, storeID: journal.identity.id)
        return (fresh, try fresh.runs())
      }
      rollup = try PurchaseRollup(ledger, savedThrough: covered)
      lock.withLock {
        batches.retire()
        queue = RollupQueue(after: covered, limit: options.rollupWaiting)
      }
      return aside
    }
  }

  /// Makes one file of a ledger that covers the journal up to an entry.
  private func makeLedger(through last: UInt64) throws {
    let path = String(ledgerPath.dropLast(LedgerFile.name.count)) + LedgerFile.rebuilt
    var made = try OpenedLedger(
      try Ledger(path: path, storeID: journal.identity.id), journal,
      events: options.memtableEvents, through: last)
    try made.flush()
    // Nothing is left in its log then.
    guard try made.ledger.connection.checkpoint() else {
      throw StoreFault.damaged("somebody reads \(LedgerFile.rebuilt)")
    }
  }
}
