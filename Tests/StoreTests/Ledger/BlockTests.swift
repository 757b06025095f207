import Metering
import Testing

@testable import Store

@Suite("Blocks of runs") struct BlockTests {
  private static func hash(_ high: UInt64, _ low: UInt64) -> Hash128 {
    Hash128(high: high, low: low)
  }

  /// Hashes far apart, next to each other, and with the same leading bits.
  private static let hashes =
    [
      hash(0, 0), hash(0, 1), hash(1, 0), hash(1 << 32 - 1, .max), hash(1 << 32, 0),
      hash(1 << 32 + 5, 7), hash(1 << 63, 3), hash(.max - 1, 0), hash(.max, .max - 1),
      hash(.max, .max),
    ]

  private static func sums(
    _ quantity: Int128, _ amount: Int128 = 0, _ count: Int64 = 1, _ first: Int64 = 0,
    _ last: Int64 = 0
  ) -> Sums {
    var sums = Sums()
    sums.quantity = quantity
    sums.amount = amount
    sums.count = count
    sums.first = first
    sums.last = last
    return sums
  }

  private static let extremes = [
    sums(0), sums(5_000_000_000), sums(-1), sums(.max, .min, .max, .min, .max),
    sums(.min, .max, .min, .max, .min), sums(1, 1, 0, 1_796_000_000_000_000, 1_796_000_000_000_001),
    sums(Int128(Int64.max) * 10, 0, 2, 1000, 2000), sums(7, 0, -3, -5, 1_000_000),
  ]

  private static func records() -> [UsageRecord] {
    hashes.enumerated().map { number, hash in
      var record = UsageRecord()
      record.hash = hash
      for index in 0..<number % 9 {
        record.sums.append(
          NumberedSums(key: Int64(index * index * 1000), sums: extremes[(number + index) % 8]))
      }
      for index in 0..<[1, 0, 6, 7, 8, 300][number % 6] {
        record.trail.append(UInt64(1000 + index * (index + number)))
      }
      return record
    }
  }

  private static func same(_ left: UsageRecord, _ right: UsageRecord) -> Bool {
    left.hash == right.hash && left.trail == right.trail
      && left.sums.map(\.key) == right.sums.map(\.key)
      && left.sums.map(\.sums) == right.sums.map(\.sums)
  }

  @Test func usageComesBack() throws {
    let base = UsageBlock.Base(startingWith: Self.records()[3], locations: 1000...(1 << 41))
    var block = BlockBytes()
    base.write(to: &block)
    var high: UInt64 = 0
    for record in Self.records() {
      UsageBlock.write(record, after: high, base: base, to: &block)
      high = record.hash.high
    }
    var reader = UsageBlock.Reader(block.bytes, id: 5 << 32)
    var found = UsageRecord()
    for record in Self.records() {
      #expect(try reader.next(&found))
      #expect(Self.same(found, record))
    }
    #expect(try !reader.next(&found))
    // A cut block is told apart, unless it was cut between two records.
    let bytes = Array(block.bytes)
    for count in 0..<bytes.count {
      try bytes[..<count].withUnsafeBytes { cut in
        var reader = UsageBlock.Reader(cut, id: 5 << 32)
        do {
          var number = 0
          while try reader.next(&found) {
            #expect(Self.same(found, Self.records()[number]))
            number += 1
          }
        } catch StoreFault.ledger {}
      }
    }
  }

  private static func entry(_ key: Hash128, _ number: Int) -> KeyEntry {
    KeyEntry(
      key: key, fingerprint: UInt64(number) &* 0x9E37_79B9_7F4A_7C15,
      location: Location(raw: 1 << 40 + UInt64(number)), isVoided: number % 3 == 0,
      isVoid: number % 5 == 0)
  }

  private static func same(_ left: KeyEntry?, _ right: KeyEntry) -> Bool {
    left?.key == right.key && left?.fingerprint == right.fingerprint
      && left?.location == right.location && left?.isVoided == right.isVoided
      && left?.isVoid == right.isVoid
  }

  /// Keys of every spread are found in a run, and nothing else is.
  @Test(arguments: [0, 20, 40, 64]) func keysAreFound(leadingBits: UInt64) throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/ledger.db"
    let ledger = try Ledger(path: path, storeID: RunStore.storeID)
    var seed = Seed(leadingBits)
    var keys = Set(Self.hashes)
    while keys.count < 3_000 {
      let random = leadingBits == 64 ? 0 : seed.next() >> leadingBits
      keys.insert(Self.hash(1 << 63 | random, seed.next()))
    }
    let sorted = keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    let entries = sorted.enumerated().map { Self.entry($1, $0) }
    let description = Run(
      id: 0, kind: .keys, level: 0, count: 0, firstSequence: 1, lastSequence: 1,
      locations: (1 << 40)...(1 << 40 + 3_000), filter: nil)
    let run = try ledger.connection.write {
      var writer = try KeyRunWriter(ledger.connection, description, expected: entries.count)
      for entry in entries { try writer.add(entry) }
      return try writer.finish(isLive: true)
    }
    let view = try LedgerView(path: path)
    for entry in entries {
      #expect(Self.same(try view.entry(of: entry.key, in: run), entry))
      #expect(run.filter?.probe.mayContain(entry.key) == true)
      let neighbour = Self.hash(entry.key.high, entry.key.low &+ 1)
      if !keys.contains(neighbour) { #expect(try view.entry(of: neighbour, in: run) == nil) }
    }
  }

  @Test func cutKeysAreTold() throws {
    var block = BlockBytes()
    KeyBlock.write(
      ContiguousArray(Self.hashes.enumerated().map { Self.entry($1, $0) }), above: 0, keyBytes: 8,
      locationBytes: 3, leastLocation: 1 << 40, to: &block)
    let bytes = Array(block.bytes)
    for count in 0..<bytes.count where (count - 9) % 27 != 0 {
      _ = bytes[..<count].withUnsafeBytes { cut in
        #expect(throws: StoreFault.self) {
          _ = try KeyBlock.find(Self.hash(.max, .max), in: cut, id: 1 << 32)
        }
      }
    }
  }

  @Test(arguments: [0, 1, 2, 1000]) func hashesAreSorted(count: Int) {
    var seed = Seed(UInt64(count))
    let hashes = (0..<count).map { _ in
      Self.hash(seed.chance(30) ? 5 : seed.next(), seed.next() % 100)
    }
    let order = HashOrder.numbers(count: count) { hashes[$0] }
    #expect(Set(order).count == count)
    let sorted = order.map { hashes[Int($0)] }
    #expect(sorted == hashes.sorted { ($0.high, $0.low) < ($1.high, $1.low) })
  }
}
