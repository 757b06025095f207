import Metering

/// The first block of a segment file: whose it is, and where the journal stood when it was begun.
struct SegmentHeader: Equatable {
  /// A whole block, so that writing frames never touches the header's block.
  static let bytes = 4_096
  /// "OUTLAYSG".
  private static let magic: UInt64 = 0x4753_5941_4C54_554F
  private static let format: UInt64 = 1
  private static let words = 14

  var identity: StoreIdentity
  /// Size of the file.
  var capacity: UInt64
  /// Number of the segment since the store began; the upper part of its frames' addresses.
  var ordinal: UInt64
  var firstSequence: UInt64
  /// The chain before the first frame.
  var chain: Hash128
  /// Offset where the segment before it validly ends, with frame `firstSequence - 1`; what lies
  /// behind isn't part of the journal.
  var previousEnd: UInt64

  var name: String { Self.name(firstSequence: firstSequence) }

  static func name(firstSequence: UInt64) -> String {
    let digits = String(firstSequence)
    return "journal/" + String(repeating: "0", count: 20 - digits.count) + digits + ".seg"
  }

  /// The chain before the first frame of a store.
  static func genesisChain(_ identity: StoreIdentity) -> Hash128 {
    identity.id.withUnsafeBytes { ChainHash.of($0) }
  }

  /// Seed of the frames' header checks.
  var frameSeed: Hash128 {
    var hash = ChainHash(seed: Self.genesisChain(identity))
    hash.add(ordinal)
    return hash.finish()
  }

  private var fields: [UInt64] {
    let id = StoreIdentity.halves(identity.id)
    let key = StoreIdentity.halves(identity.key)
    return [
      Self.magic, Self.format, id.0, id.1, key.0, key.1, capacity, ordinal, firstSequence,
      chain.high, chain.low, previousEnd,
    ]
  }

  func encode() -> [UInt8] {
    let fields = self.fields
    var hash = ChainHash(seed: Hash128(high: 0, low: 0))
    for word in fields { hash.add(word) }
    let check = hash.finish()
    var bytes = [UInt8](repeating: 0, count: Self.bytes)
    bytes.withUnsafeMutableBytes { raw in
      for (index, word) in (fields + [check.high, check.low]).enumerated() {
        raw.storeBytes(of: word.littleEndian, toByteOffset: index * 8, as: UInt64.self)
      }
    }
    return bytes
  }

  init(
    identity: StoreIdentity, capacity: Int, ordinal: UInt64, firstSequence: UInt64,
    chain: Hash128, previousEnd: UInt64
  ) {
    self.identity = identity
    self.capacity = UInt64(capacity)
    self.ordinal = ordinal
    self.firstSequence = firstSequence
    self.chain = chain
    self.previousEnd = previousEnd
  }

  /// Reads a header. Throws ``StoreFault/foreign(_:)`` for another format and
  /// ``StoreFault/rot(file:offset:detail:)`` for damage.
  init(_ bytes: [UInt8], file: String) throws(StoreFault) {
    let words: [UInt64] = bytes.withUnsafeBytes { raw in
      (0..<min(Self.words, raw.count / 8)).map {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
    }
    guard bytes.count == Self.bytes, words[0] == Self.magic else {
      throw .rot(file: file, offset: 0, detail: "not a segment's header")
    }
    guard words[1] == Self.format else {
      throw .foreign("\(file) has format \(words[1]); this program writes \(Self.format)")
    }
    identity = StoreIdentity(id: Array(bytes[16..<32]), key: Array(bytes[32..<48]))
    capacity = words[6]
    ordinal = words[7]
    firstSequence = words[8]
    chain = Hash128(high: words[9], low: words[10])
    previousEnd = words[11]
    guard encode() == bytes else {
      throw .rot(file: file, offset: 0, detail: "the segment's header is damaged")
    }
  }
}

/// An open segment.
struct Segment: Sendable {
  let header: SegmentHeader
  let file: any DiskFile
  /// Seed of its frames' header checks.
  let seed: Hash128

  init(header: SegmentHeader, file: any DiskFile) {
    self.header = header
    self.file = file
    seed = header.frameSeed
  }

  var name: String { header.name }
  var capacity: Int { Int(header.capacity) }

  func address(_ offset: Int) -> UInt64 {
    JournalAddress.of(ordinal: header.ordinal, offset: offset)
  }
}
