import Metering

/// How far the rollup is, as it is saved with each of its slices.
struct RollupState: Equatable {
  /// Every change up to this entry is rolled up, or the sweep comes to it.
  var settled: UInt64
  /// Hash of the configuration that the figures were made under.
  var configuration: Hash128
  var sweep: RollupSweep?
  /// The latest instant that figures were made for.
  var asOf: Instant

  init(settled: UInt64, configuration: Hash128, sweep: RollupSweep?, asOf: Instant) {
    self.settled = settled
    self.configuration = configuration
    self.sweep = sweep
    self.asOf = asOf
  }

  private static let version: UInt8 = 2
  /// Version, three words of entry and hash, flags, the sweep's entry and phase.
  private static let headBytes = 1 + 24 + 1 + 8 + 1
  /// The same with the instant.
  private static let bytesBeforeCursor = headBytes + 8

  /// The state as versioned bytes.
  var encoded: [UInt8] {
    var bytes = [Self.version]
    for word in [settled, configuration.high, configuration.low] { bytes += Self.bytes(word) }
    bytes.append((sweep == nil ? 0 : 1) | (sweep?.isAgain == true ? 2 : 0))
    bytes += Self.bytes(sweep?.after ?? 0)
    bytes.append(sweep?.phase.rawValue ?? 0)
    bytes += Self.bytes(UInt64(bitPattern: asOf.microseconds))
    return bytes + (sweep?.cursor.bytes ?? [])
  }

  /// Takes a state back; nil for bytes of another version.
  init?(encoded bytes: [UInt8]) {
    // The first version didn't know when figures were made.
    guard let version = bytes.first, version == 1 || version == Self.version else { return nil }
    let cursor = version == 1 ? Self.headBytes : Self.bytesBeforeCursor
    guard bytes.count >= cursor else { return nil }
    asOf =
      version == 1
      ? .distantPast
      : Instant(microseconds: Int64(bitPattern: Self.word(bytes, at: Self.headBytes)))
    settled = Self.word(bytes, at: 1)
    configuration = Hash128(high: Self.word(bytes, at: 9), low: Self.word(bytes, at: 17))
    guard bytes[25] & 1 != 0 else { return }
    guard let phase = RollupSweep.Phase(rawValue: bytes[34]) else { return nil }
    sweep = RollupSweep(
      after: Self.word(bytes, at: 26), phase: phase,
      cursor: ByteString(bytes[cursor...]), isAgain: bytes[25] & 2 != 0)
  }

  private static func bytes(_ word: UInt64) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { Array($0) }
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
