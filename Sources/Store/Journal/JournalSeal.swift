import Metering

/// How far the journal was synced, in a file of its own: without it, damage in the last commit
/// looks like a commit that was cut short, though it was acknowledged.
///
/// It is written a moment after a commit, never with it. There are two places that take turns, so
/// that one is whole whenever the power goes.
struct JournalSeal: Equatable {
  static let file = "journal/synced"
  /// The places lie in blocks of their own.
  private static let placeBytes = 4_096
  private static let places = 2
  private static let words = 7
  /// "OUTLAYSY".
  private static let magic: UInt64 = 0x5953_5941_4C54_554F

  /// The last frame that was synced, and the chain behind it.
  var sequence: UInt64
  var chain: Hash128
  /// The segment that it lies in.
  var ordinal: UInt64

  private func encoded(for identity: StoreIdentity) -> [UInt8] {
    let fields = [Self.magic, sequence, chain.high, chain.low, ordinal]
    var hash = ChainHash(seed: SegmentHeader.genesisChain(identity))
    for field in fields { hash.add(field) }
    let check = hash.finish()
    return (fields + [check.high, check.low]).flatMap { word in
      withUnsafeBytes(of: word.littleEndian) { Array($0) }
    }
  }

  private init?(_ bytes: [UInt8], of identity: StoreIdentity) {
    guard bytes.count == Self.words * 8 else { return nil }
    func word(_ index: Int) -> UInt64 {
      bytes.withUnsafeBytes {
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      }
    }
    sequence = word(1)
    chain = Hash128(high: word(2), low: word(3))
    ordinal = word(4)
    guard encoded(for: identity) == bytes else { return nil }
  }

  init(sequence: UInt64, chain: Hash128, ordinal: UInt64) {
    self.sequence = sequence
    self.chain = chain
    self.ordinal = ordinal
  }

  /// The newest seal of a store; nil without one that is whole.
  static func load(_ disk: any Disk, of identity: StoreIdentity) throws -> JournalSeal? {
    guard try disk.size(of: file) > 0 else { return nil }
    let found = try disk.open(file, create: false)
    return try (0..<places).compactMap { place in
      JournalSeal(try found.read(count: words * 8, at: place * placeBytes), of: identity)
    }.max { $0.sequence < $1.sequence }
  }

  /// Writes the seal, durably.
  func save(_ disk: any Disk, of identity: StoreIdentity) throws {
    let isNew = try disk.size(of: Self.file) == 0
    let found = try disk.open(Self.file, create: true)
    // The place that holds the older one, or none.
    let sequences = try (0..<Self.places).map { place in
      JournalSeal(
        try found.read(count: Self.words * 8, at: place * Self.placeBytes), of: identity)?
        .sequence ?? 0
    }
    let place = sequences[0] <= sequences[1] ? 0 : 1
    try encoded(for: identity).withUnsafeBytes {
      try found.write($0, at: place * Self.placeBytes)
    }
    try found.sync()
    if isNew { try disk.syncDirectory(SegmentFiles.directory) }
  }

  /// Throws where the journal ends before what was synced.
  func check(_ segments: [Segment], _ tail: SegmentTail) throws {
    guard tail.sequence <= sequence else { return }
    if tail.sequence == sequence {
      guard tail.chain == chain else {
        throw StoreFault.damaged(
          "the journal tells another story of entry \(sequence) than \(Self.file)")
      }
      return
    }
    guard let last = segments.last, last.header.ordinal >= ordinal else {
      throw StoreFault.damaged(
        "the journal ends at entry \(tail.sequence), but entry \(sequence) was synced: its last "
          + "segments are missing")
    }
    throw StoreFault.rot(
      file: last.name, offset: tail.bad,
      detail:
        "entry \(tail.sequence + 1) is damaged, yet it was whole: \(Self.file) says that entry "
        + "\(sequence) was synced")
  }
}

extension Journal {
  /// Notes how far the journal is synced, so that damage behind is never taken for a commit that
  /// was cut short. Off the commit path; one thread at a time. Does nothing where that is noted.
  package func seal() throws {
    let state = snapshot
    guard state.sequence > sealed else { return }
    let seal = JournalSeal(
      sequence: state.sequence, chain: state.chain, ordinal: state.last.header.ordinal)
    try seal.save(files.disk, of: identity)
    sealed = state.sequence
  }
}
