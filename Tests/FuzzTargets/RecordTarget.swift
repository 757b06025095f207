@testable import Metering
@testable import Store

extension FuzzTarget {
  /// A stored record: what is taken back is written as bytes that mean the same.
  static let records = FuzzTarget(
    name: "records", goal: "record 0", seeds: { recordSeeds }
  ) { input, run in
    var steering = Pieces(input)
    let kind = Int(steering.byte() % 6)
    let bytes = Array(steering.rest)
    guard let first = stored(bytes, kind) else { return }
    // What nobody writes, such as amounts of two products, may be simplified, but only once.
    guard let once = stored(first.bytes, kind) else {
      run.fail("record \(kind) can't be read again")
    }
    run.reach("record \(kind)")
    let twin = run.takesTwin ? Array(once.bytes.dropLast()) : once.bytes
    run.agree(stored(twin, kind)?.meaning, once.meaning, "a record written again")
  }

  /// What bytes hold, as bytes again and as something to compare; nil where they hold nothing.
  private static func stored(
    _ bytes: [UInt8], _ kind: Int
  ) -> (bytes: [UInt8], meaning: [UInt8])? {
    let same = { (bytes: [UInt8]) in (bytes: bytes, meaning: bytes) }
    switch kind {
    case 0:
      _ = PurchaseRecord.holdsCases(encoded: bytes)
      return (PurchaseRecord(encoded: bytes)?.encode()).map(same)
    case 1:
      // Totals are written in no order.
      return Totals(encoded: bytes).map { totals in
        let texts = totals.byKey.map { "\($0)" } + totals.guards.map { "\($0)" }
        return (totals.encode(), Array(text: "\(totals.accepted) \(texts.sorted())"))
      }
    case 2: return (PurchaseFigures(encoded: bytes)?.encode()).map(same)
    case 3: return (RollupKey(encoded: bytes)?.encode()).map(same)
    case 4: return (Fraction(encoded: bytes)?.encode()).map(same)
    default: return (RollupState(encoded: bytes)?.encoded).map(same)
    }
  }

  private static var recordSeeds: [[UInt8]] {
    let desk = Desk()
    for sample in Desk.requestSamples { desk.take(Array(text: sample)) }
    var seeds = desk.records.map { [0] + $0.encode() }
    seeds.append([1] + desk.totals.encode())
    for id in ["1", "2", "3"] {
      guard let figures = desk.figures(of: ByteString(id)) else { continue }
      seeds.append([2] + figures.encode())
    }
    seeds.append([3] + RollupKey(.purchases, "active").encode())
    seeds.append([4] + Fraction(355, over: 113).encode())
    let state = RollupState(
      settled: 7, configuration: Hash128(high: 1, low: 2),
      sweep: RollupSweep(after: 3, phase: .purchases, cursor: "7", isAgain: true),
      asOf: Instant(microseconds: 5))
    seeds.append([5] + state.encoded)
    return seeds
  }
}
