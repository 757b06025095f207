import Metering

/// One verification: as many passes over the journal as its sums need, each compared with the
/// ledger's snapshot.
struct Comparison {
  let view: LedgerView
  let journal: Journal
  let applied: UInt64
  let sumsAtOnce: Int
  /// Where a ledger may be made anew.
  let scratch: String
  var found = Verification()
  var counts = Totals()
  var totals: [UsageKey: Sums] = [:]

  init(view: LedgerView, journal: Journal, applied: UInt64, sumsAtOnce: Int, scratch: String) {
    self.view = view
    self.journal = journal
    self.applied = applied
    self.sumsAtOnce = sumsAtOnce
    self.scratch = scratch
  }

  mutating func run(
    under configuration: Configuration?, _ progress: (Double) -> Void
  ) throws -> Verification {
    found.sequence = applied
    try checkFile()
    let slices = UInt64(try eventsKnown() / sumsAtOnce + 1)
    for slice in 0..<slices {
      var recomputed = Recomputed(
        hashKey: journal.identity.hashKey, slice: slice, slices: slices)
      try scan(into: &recomputed, isFirst: slice == 0) {
        progress((Double(slice) + $0) / Double(slices))
      }
      try compare(recomputed)
      for (key, sums) in recomputed.totals { totals[key, default: Sums()].add(sums) }
    }
    try compareQuarterHours()
    try compareCounts()
    try compareRollup()
    if let configuration { try compareFigures(under: configuration) }
    let replay = try Replay(below: scratch, journal, through: applied)
    defer { replay.remove() }
    try replay.compare(with: view) { found.note($0) }
    return found
  }

  private func eventsKnown() throws -> Int {
    guard let bytes = try Meta(view.connection).value("totals"),
      let totals = Totals(encoded: bytes)
    else { return 0 }
    return Int(totals.accepted)
  }

  /// SQLite's own look at the structure of its file.
  private mutating func checkFile() throws {
    var lines: [String] = []
    try view.connection.prepare("PRAGMA quick_check(10)").forEach { lines.append($0.text(0)) }
    if let damage = view.connection.takeDamage() {
      found.note("\(damage)")
    } else if lines != ["ok"] {
      for line in lines { found.note("ledger.db: \(line)") }
    }
  }

  private mutating func scan(
    into recomputed: inout Recomputed, isFirst: Bool, _ progress: (Double) -> Void
  ) throws {
    var addresses: [UInt64] = []
    let end = applied
    var counts = Totals()
    try journal.scan { frame in
      guard frame.sequence <= end else { return }
      counts.accepted += UInt64(frame.counts.accepted)
      counts.duplicates += UInt64(frame.counts.duplicates)
      counts.conflicts += UInt64(frame.counts.conflicts)
      counts.rejected += UInt64(frame.counts.rejected)
      do {
        try frame.body.withUnsafeBytes { body in
          try FrameWalk.walk(
            body, address: frame.address, receivedAt: frame.receivedAt.microseconds,
            earlier: addresses
          ) { number, fact in
            recomputed.take(fact, at: Location(address: frame.address, number: number))
            return true
          }
        }
      } catch let damage as DamagedFrame {
        throw frame.refusal(damage)
      }
      addresses.append(frame.address)
      if addresses.count > 2 * VerifyLimits.framesOfACommit {
        addresses.removeFirst(VerifyLimits.framesOfACommit)
      }
      if frame.sequence % 64 == 0 { progress(Double(frame.sequence) / Double(max(end, 1))) }
    }
    if isFirst {
      self.counts = counts
      found.events = counts.accepted
    }
  }

  // MARK: Comparing

  private mutating func compare(_ recomputed: Recomputed) throws {
    var stored: [Hash128: Recomputed.Purchase] = [:]
    try view.forEachUsage { record, keys in
      guard recomputed.holds(record.hash) else { return }
      var purchase = stored[record.hash] ?? Recomputed.Purchase()
      for (key, entry) in zip(keys, record.sums) {
        purchase.sums[key, default: Sums()].add(entry.sums)
      }
      for location in record.trail { purchase.trail.add(location) }
      stored[record.hash] = purchase
    }
    for (hash, expected) in recomputed.purchases {
      compare(stored.removeValue(forKey: hash) ?? Recomputed.Purchase(), with: expected, hash)
    }
    for (hash, extra) in stored { compare(extra, with: Recomputed.Purchase(), hash) }
    try comparePoints(recomputed)
    try compareWaiting(recomputed)
  }

  private mutating func compare(
    _ stored: Recomputed.Purchase, with expected: Recomputed.Purchase, _ hash: Hash128
  ) {
    found.purchases += 1
    if stored.trail != expected.trail {
      found.note(
        "the trail of purchase #\(Self.name(hash)) has \(stored.trail.count) facts, the journal "
          + "\(expected.trail.count)")
    }
    for key in Set(stored.sums.keys).union(expected.sums.keys) {
      found.sums += 1
      let (mine, theirs) = (stored.sums[key] ?? Sums(), expected.sums[key] ?? Sums())
      guard !Self.isSame(mine, theirs) else { continue }
      found.note(
        "purchase #\(Self.name(hash)): \(key.series.meter) is \(Self.text(mine)), by the journal "
          + "\(Self.text(theirs))")
    }
  }

  static func isSame(_ left: Sums, _ right: Sums) -> Bool {
    left.quantity == right.quantity && left.amount == right.amount && left.count == right.count
  }

  static func text(_ sums: Sums) -> String {
    "\(Fraction(sums.quantity, scale: 9).decimal) of \(sums.count) readings"
      + (sums.amount == 0 ? "" : " that cost \(Fraction(sums.amount, scale: 15).decimal)")
  }

  /// The ledger knows purchases of runs by their hash only.
  private static func name(_ hash: Hash128) -> String {
    let digits = String(hash.high, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func compareCounts() throws {
    guard let bytes = try Meta(view.connection).value("totals"),
      let stored = Totals(encoded: bytes)
    else { return }
    for (name, mine, theirs) in [
      ("accepted", stored.accepted, counts.accepted),
      ("duplicate", stored.duplicates, counts.duplicates),
      ("conflicting", stored.conflicts, counts.conflicts),
      ("rejected", stored.rejected, counts.rejected),
    ] where mine != theirs {
      found.note("\(mine) \(name) events are counted, by the journal \(theirs)")
    }
  }
}
