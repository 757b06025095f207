import Metering
import Store

extension LifeHistory {
  mutating func compareAll() throws {
    for id in LifeWorld.transactions { try compare(id) }
    for customer in World.customers {
      let expected = reference.unattributed(customer: customer, now: subject.now)
      let answer = try subject.unattributed(customer).filter { $0.value != .zero }
      if answer != expected { fail("unattributed of \(customer): \(answer), expected \(expected)") }
    }
    try compareCases()
    try compareTotals()
    try compareRollup()
  }

  mutating func compare(_ id: String) throws {
    let answer = try subject.consumption(id)
    for fault in reference.faults(of: answer, about: id, now: subject.now) { fail(fault) }
  }

  /// Every case is listed, those to be answered soonest first.
  private mutating func compareCases() throws {
    let now = subject.now
    let all = reference.cases.flatMap { id, list in list.map { (id: id, one: $0) } }
    func text(_ entry: (id: String, one: ReferenceCase)) -> String {
      let state = entry.one.state(isSandbox: reference.isSandbox(entry.id), now: now)
      return "\(entry.id):\(entry.one.number) \(state)"
    }
    let told = try subject.cases()
    if Set(told) != Set(all.map(text)) || told.count != all.count {
      fail("cases \(told), expected \(all.map(text))")
    }
    let open = all.filter { text($0).hasSuffix(" open") }.sorted {
      ($0.one.respondBy(isSandbox: reference.isSandbox($0.id)), $0.id)
        < ($1.one.respondBy(isSandbox: reference.isSandbox($1.id)), $1.id)
    }
    let listed = try subject.cases(state: .open)
    if listed != open.map(text) { fail("open cases \(listed), expected \(open.map(text))") }
  }

  private mutating func compareTotals() throws {
    let (notifications, waiting) = try subject.withBooks { books, _ in
      (books.totals.notifications.values.reduce(0, +), books.totals.waitingReadings)
    }
    if notifications != UInt64(reference.seen.count) {
      fail("\(notifications) notifications, expected \(reference.seen.count)")
    }
    let expected = reference.waitingReadings
    if waiting != expected { fail("\(waiting) readings wait, expected \(expected)") }
  }

  /// What metrics tell is the sum of what the reference says of every purchase.
  private mutating func compareRollup() throws {
    let now = Instant(microseconds: subject.now)
    let told = try subject.withBooks { books, _ in
      for _ in 0..<10_000 {
        if try books.rollUp(at: now, isOver: { false }) == .idle { break }
        books.freeze()
        _ = try books.flush()
      }
      return SingleAnswers(books.rollupReport, books.rollupSums)
    }
    let families = [
      "purchases ", "proceeds ", "costAtRisk ", "proceedsAtRisk ", "realisedLoss ", "leak ",
      "openCases ",
    ]
    let sums = told.sums.filter { entry in families.contains { entry.key.hasPrefix($0) } }
      .mapValues(\.decimal)
    let expected = reference.rollUp(of: LifeWorld.transactions, now: subject.now)
      .mapValues(\.description)
    for key in Set(sums.keys).union(expected.keys).sorted() where sums[key] != expected[key] {
      fail("rollup of \(key): \(sums[key] ?? "0"), expected \(expected[key] ?? "0")")
    }
    let deadline = reference.nextDeadline(now: subject.now)
    if told.respondBy?.microseconds != deadline {
      fail("respondBy \(told.respondBy as Any), expected \(deadline as Any)")
    }
  }
}
