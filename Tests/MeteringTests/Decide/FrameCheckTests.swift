import Testing

@testable import Metering

/// What no decider writes is named before it is applied, and what passes can be applied.
@Suite struct FrameCheckTests {
  private static let zeros = [UInt8](repeating: 0, count: 32)
  private static let most = [UInt8](repeating: 0xFF, count: 15) + [0x7F]
  private static let dollars: [UInt8] = [0x44, 0x53, 0x55, 0]

  /// A series named "m"; bookings of it: a sum, a level, a cost in thirds.
  private static let definitions: [UInt8] = {
    let booking = FactTag.booking.rawValue
    let texts: [UInt8] = [0, 0, 0, 0]
    let third: [UInt8] = [3] + zeros.prefix(15)
    return [FactTag.series.rawValue, 3, 1, 0, 0x6D]
      + [booking, 0, 0] + zeros.prefix(8) + texts
      + [booking, 0, Booking.level] + zeros.prefix(8) + texts
      + [booking, 0, Booking.fraction] + zeros.prefix(8) + texts + third
  }()

  private static func head(_ flags: UInt8, time: [UInt8] = [0]) -> [UInt8] {
    [flags] + zeros.prefix(24) + time + [1, 0x74]
  }

  private static func usage(_ readings: [UInt8], flags: UInt8 = 0, time: [UInt8] = [0]) -> [UInt8] {
    [FactTag.usage.rawValue] + head(flags, time: time) + readings
  }

  /// Readings that go to "t", numbered from 0.
  private static func parts(_ readings: [[UInt8]]) -> [UInt8] {
    [UInt8(readings.count)]
      + readings.enumerated().flatMap { [1, 0x74, UInt8($0.offset)] + $0.element }
  }

  private static func void(_ readings: [[UInt8]], of origin: [UInt8]) -> [UInt8] {
    [FactTag.void.rawValue] + zeros.prefix(24) + origin + head(EventFact.parts) + parts(readings)
  }

  private static func rebook(_ from: [[UInt8]], _ to: [[UInt8]]) -> [UInt8] {
    [FactTag.rebook.rawValue] + zeros.prefix(8) + head(EventFact.parts) + parts(from) + parts(to)
  }

  private static func relabel(_ from: UInt8, _ to: UInt8, amount: [UInt8]) -> [UInt8] {
    [FactTag.relabel.rawValue, 1, from, to] + zeros.prefix(12) + zeros.prefix(16) + amount
      + zeros.prefix(17)
  }

  /// Five and six units of the sum, the most of it, a level of five; two thirds of a part.
  private static let five: [UInt8] = [1, 10]
  private static let six: [UInt8] = [1, 12]
  private static let much: [UInt8] = [0] + most
  private static let level: [UInt8] = [5, 10]
  private static func rest(_ amount: UInt8, quantity: UInt8 = 0) -> [UInt8] {
    [11, quantity] + dollars + [amount] + zeros.prefix(15)
  }

  private static let before: [UInt8] = [1, 0]
  private static let cases: [(name: String, facts: [UInt8], fault: String?)] = [
    ("usage and its void", usage(five) + void([five], of: before), nil),
    ("usage that moves", usage(five) + rebook([five], [five]), nil),
    ("a rest of a cost", [FactTag.split.rawValue] + head(64) + parts([five, rest(2)]), nil),
    ("a moved label", usage(five) + relabel(0, 0, amount: Array(zeros.prefix(16))), nil),
    ("a negative quantity", usage([1, 9]), "it has a negative quantity"),
    ("a level of nothing", usage(level, flags: EventFact.waiting), "it has a level of nothing"),
    (
      "a time beyond all", usage(five, time: [0xFE] + [UInt8](repeating: 0xFF, count: 8) + [1]),
      "it tells of no time"
    ),
    ("more than fits", usage(much) + usage(five), "it uses more of a meter than fits"),
    (
      "more cost than fits",
      usage([3, 10] + dollars + most) + usage([3, 10] + dollars + most), "it costs more than fits"
    ),
    ("a void of nothing", void([five], of: before), "it takes back more than was used"),
    (
      "a void of more", usage(five) + void([six], of: before), "it takes back more than was used"
    ),
    (
      "a void from before the commit", void([five], of: [9, 0]),
      "it takes back what isn't in its commit"
    ),
    ("a move of more", usage(five) + rebook([five], [six]), "it moves more or less than there was"),
    ("a rest of a whole part", usage(rest(3)), "it has no rest of a cost"),
    ("a rest with a quantity", usage(rest(2, quantity: 2)), "it has no rest of a cost"),
    (
      "a label of another booking", relabel(0, 9, amount: Array(zeros.prefix(16))),
      "it moves a booking that isn't there"
    ),
    (
      "a label of other parts", relabel(0, 2, amount: Array(zeros.prefix(16))),
      "it moves a cost of other parts"
    ),
    ("rests that no total holds", relabel(2, 2, amount: most), "it moves a cost of other parts"),
    ("unknown work", [FactTag.followUp.rawValue, 99] + zeros.prefix(12), "it names unknown work"),
    ("an unknown change", [FactTag.change.rawValue, 99, 0], "it changes nothing known"),
    (
      "a kept event of no size",
      [FactTag.release.rawValue] + zeros.prefix(8) + [UInt8](repeating: 0xFF, count: 9) + [1, 0],
      "it lets go of too much"
    ),
  ]

  @Test(arguments: cases.indices) func isNamedOrApplied(_ number: Int) throws {
    let (name, facts, fault) = Self.cases[number]
    let body = Self.definitions + facts
    try body.withUnsafeBytes { bytes in
      let frame = DurableFrame(
        body: bytes, address: 7, sequence: 1, chain: Hash128(high: 0, low: 0), receivedAt: 0,
        floor: 0, accepted: 0, duplicates: 0, conflicts: 0, rejected: 0)
      var check = FrameCheck(after: Totals())
      var found: String?
      do {
        try check.check(frame, isLastOfCommit: true)
      } catch let damage as DamagedFrame {
        found = "\(damage.fault)"
      }
      #expect(found == fault, "\(name)")
      guard found == nil else { return }
      var totals = Totals()
      let table = Memtable(after: 0, capacity: 0)
      var applier = Applier(table: table, hashKey: HashKey(high: 1, low: 2))
      applier.apply(frame, totals: &totals)
      #expect(table.lastSequence == 1)
    }
  }

  /// The guard goes on from what was kept.
  @Test func goesOnFromTotals() throws {
    var totals = Totals()
    totals.guards = ["m": Int128.max - 5 * Quantity.scale]
    for (reading, isRight) in [(Self.five, true), (Self.six, false)] {
      let body = Self.definitions + Self.usage(reading)
      body.withUnsafeBytes { bytes in
        var check = FrameCheck(after: totals)
        let frame = DurableFrame(
          body: bytes, address: 7, sequence: 1, chain: Hash128(high: 0, low: 0), receivedAt: 0,
          floor: 0, accepted: 0, duplicates: 0, conflicts: 0, rejected: 0)
        let isTaken = (try? check.check(frame, isLastOfCommit: true)) != nil
        #expect(isTaken == isRight)
      }
    }
  }
}
