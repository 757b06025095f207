import Metering

/// The form of a block of event keys: the least location (8 bytes), the widths of the two variable
/// fields, then records of one size: the distance of the key's upper half from the one before, its
/// lower half, the fingerprint, and above two flags the location less the least.
///
/// Keys are random, so neighbours of a large run differ in six bytes: some 27 bytes a key.
enum KeyBlock {
  private static let headBytes = 9
  private static let fixedBytes = 16
  private static let voided: UInt64 = 1
  private static let void: UInt64 = 2
  /// Locations above have no room for the flags; a journal would have to hold 2^50 bytes.
  private static let locationEnd: UInt64 = 1 << 62

  /// Bytes of a block of `count` records.
  @inline(__always)
  static func size(count: Int, keyBytes: Int, locationBytes: Int) -> Int {
    headBytes + count * (keyBytes + fixedBytes + locationBytes)
  }

  /// Bytes that a location takes in a run.
  static func locationBytes(in range: ClosedRange<UInt64>) -> Int {
    precondition(range.upperBound < locationEnd)
    return BlockBytes.width(of: (range.upperBound - range.lowerBound) << 2 | 3)
  }

  static func write(
    _ entries: ContiguousArray<KeyEntry>, above base: UInt64, keyBytes: Int, locationBytes: Int,
    leastLocation: UInt64, to block: inout BlockBytes
  ) {
    block.truncate(to: 0)
    block.reserve(
      size(count: entries.count, keyBytes: keyBytes, locationBytes: locationBytes))
    block.number(leastLocation, bytes: 8)
    block.number(UInt64(keyBytes << 4 | locationBytes), bytes: 1)
    var high = base
    for entry in entries {
      block.number(entry.key.high - high, bytes: keyBytes)
      block.number(entry.key.low, bytes: 8)
      block.number(entry.fingerprint, bytes: 8)
      let flags = (entry.isVoided ? voided : 0) | (entry.isVoid ? void : 0)
      block.number((entry.location.raw - leastLocation) << 2 | flags, bytes: locationBytes)
      high = entry.key.high
    }
  }

  /// Goes through a block's records.
  struct Reader {
    private var bytes: BlockReader
    private let leastLocation: UInt64
    private let keyBytes: Int
    private let locationBytes: Int
    private var high: UInt64

    /// Begins at the first record of the block with this row id.
    init(_ block: UnsafeRawBufferPointer, id: Int64) {
      bytes = BlockReader(block)
      leastLocation = bytes.number(bytes: 8)
      let widths = bytes.byte()
      keyBytes = Int(widths >> 4)
      locationBytes = Int(widths & 15)
      high = Run.base(ofBlock: id)
      let areWidthsRight = (1...8).contains(keyBytes) && (1...8).contains(locationBytes)
      if !areWidthsRight { bytes.damage() }
    }

    var isDamaged: Bool { bytes.isDamaged }

    /// The next record; nil at the end.
    @inline(__always)
    mutating func next() -> KeyEntry? {
      guard !bytes.isAtEnd else { return nil }
      high &+= bytes.number(bytes: keyBytes)
      let low = bytes.number(bytes: 8)
      let fingerprint = bytes.number(bytes: 8)
      let location = bytes.number(bytes: locationBytes)
      guard !bytes.isDamaged else { return nil }
      return KeyEntry(
        key: Hash128(high: high, low: low), fingerprint: fingerprint,
        location: Location(raw: leastLocation &+ location >> 2),
        isVoided: location & voided != 0, isVoid: location & void != 0)
    }
  }

  /// The record of a key; nil when the block has none. Throws ``StoreFault/ledger(_:)``.
  static func find(
    _ key: Hash128, in block: UnsafeRawBufferPointer, id: Int64
  ) throws -> KeyEntry? {
    var reader = Reader(block, id: id)
    while let entry = reader.next(), entry.key.high <= key.high {
      if entry.key == key { return entry }
    }
    if reader.isDamaged { throw StoreFault.ledger("a block of keys in ledger.db is damaged") }
    return nil
  }
}
