import Metering

/// What a run holds for one purchase.
struct UsageRecord {
  /// Hash of the purchase's id.
  var hash = Hash128(high: 0, low: 0)
  /// By number of the ledger's `sumkey`, ascending.
  var sums: ContiguousArray<NumberedSums> = []
  /// Raw locations of the facts that booked here, ascending.
  var trail: ContiguousArray<UInt64> = []

  mutating func removeAll() {
    sums.removeAll(keepingCapacity: true)
    trail.removeAll(keepingCapacity: true)
  }

  /// Adds a later run's record of the same purchase.
  mutating func add(_ later: UsageRecord) {
    for sums in later.sums { add(sums) }
    trail.append(contentsOf: later.trail)
  }

  /// Adds to the sum with the same key, in the right place.
  private mutating func add(_ added: NumberedSums) {
    var place = sums.count
    while place > 0 && sums[place - 1].key > added.key { place -= 1 }
    if place > 0 && sums[place - 1].key == added.key {
      sums[place - 1].sums.add(added.sums)
    } else {
      sums.insert(added, at: place)
    }
  }
}

/// Sums under the number of their key.
struct NumberedSums {
  var key: Int64
  var sums: Sums
}

/// The form of a block of purchases: a time and a location to count from (8 bytes each) and the
/// width of a first location, then records. A record is
///
/// - a byte of three counts: key bytes less one, sums, locations (the greatest value of the last
///   two says that a varint with the rest follows);
/// - the distance of the hash's upper half from the one before, and its lower half;
/// - sums: the key's number above five flags, then what the flags don't make superfluous;
/// - locations: the first in a fixed width, then distances.
enum UsageBlock {
  static let headBytes = 17
  /// Longest encodings: of a record's head, of a sum, of a location.
  private static let recordBytes = 64
  private static let sumBytes = 96
  private static let locationBytes = 10

  private static let manySums = 3
  private static let manyLocations = 7

  fileprivate static let isWhole: UInt64 = 1
  fileprivate static let hasAmount: UInt64 = 2
  fileprivate static let hasCount: UInt64 = 4
  fileprivate static let hasLast: UInt64 = 8
  fileprivate static let isMilliseconds: UInt64 = 16
  fileprivate static let flagBits: UInt64 = 5
  fileprivate static let flagMask: UInt64 = 31

  /// What a block's records are counted from.
  struct Base {
    var time: Int64
    var location: UInt64
    var locationBytes: Int

    /// Counts times from near the first that the record names, in whole milliseconds, as most are.
    init(startingWith record: UsageRecord, locations: ClosedRange<UInt64>) {
      let first = record.sums.first?.sums.first ?? 0
      time = first - first % 1000
      location = locations.lowerBound
      locationBytes = BlockBytes.width(of: locations.upperBound - locations.lowerBound)
    }

    init(reading bytes: inout BlockReader) {
      time = Int64(bitPattern: bytes.number(bytes: 8))
      location = bytes.number(bytes: 8)
      locationBytes = Int(bytes.byte())
      if !(1...8).contains(locationBytes) { bytes.damage() }
    }

    func write(to block: inout BlockBytes) {
      block.reserve(headBytes)
      block.number(UInt64(bitPattern: time), bytes: 8)
      block.number(location, bytes: 8)
      block.number(UInt64(locationBytes), bytes: 1)
    }
  }

  /// Appends a record behind one whose hash's upper half is `high`.
  static func write(
    _ record: UsageRecord, after high: UInt64, base: Base, to block: inout BlockBytes
  ) {
    let sums = record.sums.count
    let locations = record.trail.count
    block.reserve(recordBytes + sums * sumBytes + locations * locationBytes)
    let distance = record.hash.high - high
    let keyBytes = BlockBytes.width(of: distance)
    block.number(
      UInt64(keyBytes - 1 | min(sums, manySums) << 3 | min(locations, manyLocations) << 5), bytes: 1
    )
    block.number(distance, bytes: keyBytes)
    block.number(record.hash.low, bytes: 8)
    if sums >= manySums { block.varint(UInt64(sums - manySums)) }
    if locations >= manyLocations { block.varint(UInt64(locations - manyLocations)) }
    for sums in record.sums { write(sums, base: base, to: &block) }
    guard var last = record.trail.first else { return }
    block.number(last - base.location, bytes: base.locationBytes)
    for location in record.trail.dropFirst() {
      block.varint(location - last)
      last = location
    }
  }

  @inline(__always)
  private static func write(_ entry: NumberedSums, base: Base, to block: inout BlockBytes) {
    let sums = entry.sums
    let whole = whole(sums.quantity)
    var first = sums.first &- base.time
    var length = sums.last &- sums.first
    var flags: UInt64 = whole == nil ? 0 : isWhole
    if sums.amount != 0 { flags |= hasAmount }
    if sums.count != 1 { flags |= hasCount }
    if length != 0 { flags |= hasLast }
    if first % 1000 == 0 && length % 1000 == 0 {
      flags |= isMilliseconds
      first /= 1000
      length /= 1000
    }
    block.varint(UInt64(entry.key) << flagBits | flags)
    if let whole { block.signed(whole) } else { block.wide(sums.quantity) }
    if sums.amount != 0 { block.wide(sums.amount) }
    if sums.count != 1 { block.signed(sums.count) }
    block.signed(first)
    if length != 0 { block.signed(length) }
  }

  /// The quantity in whole base units, when it is one that fits.
  @inline(__always)
  private static func whole(_ quantity: Int128) -> Int64? {
    guard let narrow = Int64(exactly: quantity) else { return nil }
    let (units, rest) = narrow.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest == 0 ? units : nil
  }

  /// Goes through a block's records.
  struct Reader {
    private var bytes: BlockReader
    private let base: Base
    private var high: UInt64

    /// Begins at the first record of the block with this row id.
    init(_ block: UnsafeRawBufferPointer, id: Int64) {
      bytes = BlockReader(block)
      base = Base(reading: &bytes)
      high = Run.base(ofBlock: id)
    }

    /// Reads the next record in place of `record`'s; false at the end. Throws
    /// ``StoreFault/ledger(_:)``.
    ///
    /// The record of `last`, if there is one, is read without its trail, which may be long; nothing
    /// can be read after it.
    mutating func next(
      _ record: inout UsageRecord, withoutTrailOf last: Hash128? = nil
    ) throws -> Bool {
      record.removeAll()
      guard !bytes.isAtEnd else {
        if bytes.isDamaged { throw Self.fault }
        return false
      }
      let counts = Int(bytes.byte())
      high &+= bytes.number(bytes: counts & 7 + 1)
      record.hash = Hash128(high: high, low: bytes.number(bytes: 8))
      let sums = count(counts >> 3 & 3, most: manySums)
      let locations = count(counts >> 5, most: manyLocations)
      for _ in 0..<sums { record.sums.append(readSums()) }
      if locations > 0 && record.hash != last {
        var location = base.location &+ bytes.number(bytes: base.locationBytes)
        record.trail.append(location)
        for _ in 1..<locations {
          location &+= bytes.varint()
          record.trail.append(location)
        }
      }
      if bytes.isDamaged { throw Self.fault }
      return true
    }

    private static var fault: StoreFault { .ledger("a block of usage in ledger.db is damaged") }

    /// A count; each thing that is counted takes a byte at least.
    @inline(__always)
    private mutating func count(_ short: Int, most: Int) -> Int {
      guard short == most else { return short }
      let more = bytes.varint()
      guard more <= UInt64(bytes.left) else {
        bytes.damage()
        return 0
      }
      return most + Int(more)
    }

    @inline(__always)
    private mutating func readSums() -> NumberedSums {
      let head = bytes.varint()
      var sums = Sums()
      sums.quantity =
        head & isWhole != 0 ? Int128(bytes.signed()) * Quantity.scale : bytes.wide()
      if head & hasAmount != 0 { sums.amount = bytes.wide() }
      sums.count = head & hasCount != 0 ? bytes.signed() : 1
      let unit: Int64 = head & isMilliseconds != 0 ? 1000 : 1
      sums.first = base.time &+ bytes.signed() &* unit
      sums.last = head & hasLast != 0 ? sums.first &+ bytes.signed() &* unit : sums.first
      return NumberedSums(key: Int64(head >> flagBits), sums: sums)
    }
  }
}
