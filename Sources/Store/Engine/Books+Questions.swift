import Metering

/// A question that no try could answer at one boundary.
package struct UnsettledQuestion: Error {}

extension Books {
  /// A view for one reading thread.
  package func makeView() throws -> LedgerView {
    let view = try LedgerView(path: ledgerPath)
    try renew(view)
    return view
  }

  /// Has a view look into the ledger that counts.
  private func renew(_ view: LedgerView) throws {
    try lock.withLock { try view.renew(generation) }
  }

  /// Notes damage that a question met, whatever it made of it.
  private func noteDamage(met view: LedgerView) {
    if let damage = view.connection.takeDamage() { note(damage) }
  }

  /// Asks a question at one boundary between two entries. The writer waits for no more than a look
  /// at what the question is about; `question` may be called again and again, and the last answer
  /// counts. `pace` is called as the work goes on and may throw to end it.
  ///
  /// Throws ``UnsettledQuestion`` when what it is about changes faster than it can be looked for.
  package func ask<Answer>(
    _ view: LedgerView, pace: @escaping () throws -> Void = {},
    _ question: (BooksSnapshot) throws -> Answer
  ) throws -> Answer {
    let looks = BoundaryLooks(lock: lock) { [self] in activeTable }
    let readBack = ReadBack()
    try renew(view)
    defer { noteDamage(met: view) }
    for _ in 0..<StoreLimits.questionTries {
      try pace()
      let tables = lock.withLock { liveTables }
      let answer = try view.connection.read { () -> Answer? in
        looks.begin(try uncovered(tables, by: view), last: tables.last)
        let snapshot = BooksSnapshot(
          view: view, looks: looks, hashKey: hashKey, journal: journal, readBack: readBack,
          pace: pace)
        do {
          let answer = try question(snapshot)
          return looks.isWhole ? answer : nil
        } catch  where !looks.isWhole && !(error is any EndedQuestion) {
          // What didn't fit together may have been of two boundaries.
          return nil
        }
      }
      if let answer { return answer }
    }
    throw UnsettledQuestion()
  }

  /// Asks a question that looks at many purchases, each of them perhaps at another boundary: the
  /// writer never waits for longer than one look.
  package func askLoosely<Answer>(
    _ view: LedgerView, pace: @escaping () throws -> Void = {},
    _ question: (BooksSnapshot) throws -> Answer
  ) throws -> Answer {
    try renew(view)
    defer { noteDamage(met: view) }
    // The tables are taken before the snapshot begins: one that the snapshot covers is left out.
    let tables = lock.withLock { liveTables }
    return try view.connection.read {
      let looks = LooseLooks(tables: try uncovered(tables, by: view), lock: lock)
      return try question(
        BooksSnapshot(view: view, looks: looks, hashKey: hashKey, journal: journal, pace: pace))
    }
  }

  private func uncovered(_ tables: [Memtable], by view: LedgerView) throws -> [Memtable] {
    let applied = try view.applied()
    return tables.filter { $0.firstSequence > applied }
  }
}

/// An error that ends a question in the midst of its work, whatever it has found.
package protocol EndedQuestion: Error {}
