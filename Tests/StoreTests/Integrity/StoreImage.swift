import Foundation
import Metering

@testable import Store

/// A store with something of everything, as a kill leaves it, and what it answers.
final class StoreImage {
  static let options = Books.Options(memtableEvents: 24, segmentBytes: 128 << 10)

  let directory = TemporaryDirectory()
  let configuration: Configuration
  let now: Int64
  /// Lines that were accepted, to be sent again.
  let known: [String]

  /// Lives with usage, voids, levels, cases, consents, notifications and balances; events that are
  /// kept; runs of several levels; a log that a reader kept a checkpoint from emptying.
  init(seed: UInt64) throws {
    var history = try LifeHistory(
      seed: seed, memtableEvents: Self.options.memtableEvents,
      segmentBytes: Self.options.segmentBytes)
    try history.run(steps: 260)
    let subject = history.subject
    now = subject.now
    _ = try subject.send([
      #"{"id":"kept","transactionId":"1","meter":"unheard","quantity":1}"#,
      #"{"id":"waits","customer":"nobody","meter":"credits","quantity":3}"#,
    ])
    try subject.flush()
    try subject.merge()
    known = history.sent.suffix(16).map { $0.line() }
    configuration = try subject.withBooks { $1 }
    _ = try subject.send([#"{"id":"late","customer":"nobody","meter":"credits","quantity":4}"#])
    let (from, to) = (subject.directory, directory.path + "/store")
    try subject.withBooks { books, _ in
      try Self.rollUp(books, at: now)
      let view = try books.makeView()
      try view.connection.read {
        _ = try view.applied()
        books.freeze()
        _ = try books.flush()
        try books.seal()
        try books.prepareSpare()
        try FileManager.default.copyItem(atPath: from, toPath: to)
      }
      for name in ["lock", "reserve"] {
        try LinuxDisk(root: to).open(name, create: true).allocate(4_096)
      }
    }
  }

  /// A copy to be damaged.
  func copy() throws -> TemporaryDirectory {
    let copy = TemporaryDirectory()
    try FileManager.default.removeItem(atPath: copy.path)
    try FileManager.default.copyItem(atPath: directory.path + "/store", toPath: copy.path)
    return copy
  }

  func open(_ path: String) throws -> (books: Books, report: OpeningReport) {
    try Books.open(
      directory: path, disk: LinuxDisk(root: path), configuration: configuration,
      options: Self.options,
      newIdentity: { throw StoreFault.damaged("there is no journal") })
  }

  static func rollUp(_ books: Books, at now: Int64) throws {
    for _ in 0..<10_000 {
      let step = try books.rollUp(at: Instant(microseconds: now)) { false }
      if step == .idle { return }
      books.freeze()
      _ = try books.flush()
    }
  }

  // MARK: Answers

  /// What the store answers to everything that can be asked, and to events sent again. Throws where
  /// one of the answers is an error.
  func answers(of books: Books) throws -> [String] {
    // What is at risk is told as last rolled up.
    try Self.rollUp(books, at: now)
    var answers = try told(by: books)
    answers += totals(of: books)
    answers.append(try resend(to: books))
    try Self.rollUp(books, at: now)
    answers += SingleAnswers(books.rollupReport, books.rollupSums).sums
      .map { "rollup \($0.key) \($0.value.decimal)" }.sorted()
    return answers
  }

  private func told(by books: Books) throws -> [String] {
    let instant = Instant(microseconds: now)
    return try books.ask(try books.makeView()) { reading in
      var told: [String] = []
      for id in LifeWorld.transactions {
        let answer = try ConsumptionAnswer(
          transaction: ByteString(id), from: reading, configuration: configuration, now: instant)
        told.append(answer.map { String(decoding: $0.json, as: UTF8.self) } ?? "\(id) unknown")
      }
      for customer in World.customers + ["nobody"] {
        let answer = try CustomerAnswer(
          customer: ByteString(customer), from: reading, configuration: configuration, now: instant)
        told.append(String(decoding: answer.json, as: UTF8.self))
      }
      let cases = try CasesAnswer(
        state: nil, after: nil, limit: 1_000, from: reading, configuration: configuration,
        now: instant)
      told += cases.items.map { "\($0.standing.id.text) \($0.standing.state.rawValue)" }
      told += Self.text(try reading.quarterHours(from: .distantPast, to: .distantFuture))
      told += try reading.marks().map { "\($0)" }
      told += try reading.atRisk(after: nil, limit: 1_000).map { "\($0)" }
      return told
    }
  }

  /// Quarter-hours, each once, however they lie in ledger and tables.
  private static func text(_ lines: [QuarterHourLine]) -> [String] {
    var sums: [String: [Int128]] = [:]
    for line in lines {
      let usage = line.line
      let key =
        "\(line.slot) \(line.product) \(line.environment) \(usage.meter) "
        + "\(usage.attributes) \(usage.epoch) \(usage.own as Any)"
      var sum = sums[key] ?? [0, 0, 0]
      for (place, more) in [usage.quantity, usage.amount, Int128(usage.count)].enumerated() {
        sum[place] += more
      }
      sums[key] = sum
    }
    return sums.filter { $0.value != [0, 0, 0] }.map { "\($0.key) \($0.value)" }.sorted()
  }

  /// What doesn't hang on the configuration under which it was booked.
  private func totals(of books: Books) -> [String] {
    let totals = books.totals
    let meters = Dictionary(grouping: totals.byKey) { $0.key.meter }.mapValues { entries in
      entries.reduce(into: [Int128](repeating: 0, count: 5)) { sums, entry in
        let total = entry.value
        let parts = [
          total.gross, total.voided, total.standing, total.standingAmount,
          total.standingRest,
        ]
        for (place, part) in parts.enumerated() { sums[place] += part }
      }
    }
    let counts = [totals.accepted, totals.duplicates, totals.conflicts, totals.rejected]
    return ["\(counts) \(totals.waitingReadings) \(totals.quarantinedEvents) \(totals.floor)"]
      + meters.map { "\($0.key) \($0.value.dropLast()) \(Total.told($0.value[4]))" }.sorted()
      + totals.guards.map { "\($0.key) \($0.value)" }.sorted()
  }

  private func resend(to books: Books) throws -> String {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    for line in known {
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    let result = try books.commit(
      batch, steps: [.events(known.count)],
      at: CommitTime(now: Instant(microseconds: now), elapsed: 0))
    return "\(Array(result.verdicts))"
  }
}
