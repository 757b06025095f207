import Metering

/// How much of the write-ahead log may be in the database already.
///
/// A checkpoint copies pages of committed frames, in any order. From then on the log must be read
/// as far as these frames, or the database would hold pages of different moments, each right in
/// itself. SQLite itself takes damage in the log for its end. So before the first page is copied,
/// this goes to a file of its own, and who opens the ledger compares.
struct CheckpointMark: Equatable {
  /// What stands behind the ledger's name.
  static let suffix = "-checkpoint"
  private static let bytes = 40
  /// "OUTLAYCP".
  private static let magic: UInt64 = 0x5043_5941_4C54_554F

  /// The salts of the log's header: another log has others.
  var salts: UInt64
  /// Committed frames.
  var frames: UInt64

  /// What the log's index says, https://www.sqlite.org/walformat.html#the_wal_index_file_format.
  init(index: UnsafeRawPointer) {
    frames = UInt64(index.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    salts = index.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
  }

  private var sum: UInt64 {
    var hash = ChainHash(seed: Hash128(high: Self.magic, low: 0))
    hash.add(salts)
    hash.add(frames)
    return hash.finish().high
  }

  private init(salts: UInt64, frames: UInt64) {
    self.salts = salts
    self.frames = frames
  }

  /// Writes the mark of a ledger, durably.
  func save(for path: String) throws {
    let name = path + Self.suffix
    let descriptor = try System.open(name, name: name, create: true)
    defer { System.close(descriptor) }
    let isNew = try System.size(descriptor, name: name) == 0
    let words = [Self.magic, salts, frames, sum, 0].map(\.littleEndian)
    try words.withUnsafeBytes { try System.write(descriptor, $0, at: 0, name: name) }
    try System.syncData(descriptor, name: name)
    if isNew, let slash = path.lastIndex(of: "/") {
      try System.syncDirectory(String(path[...slash]), name: name)
    }
  }

  /// What a file says.
  enum Saved: Equatable {
    /// There is no file: nothing was ever copied.
    case none
    case mark(CheckpointMark)
    case damaged
  }

  /// Reads the mark of a ledger.
  static func saved(for path: String) throws -> Saved {
    let name = path + suffix
    let bytes = try System.contents(of: name, most: bytes)
    guard !bytes.isEmpty else { return .none }
    let words = bytes.withUnsafeBytes { raw in
      (0..<raw.count / 8).map {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
    }
    guard words.count >= 4, words[0] == magic else { return .damaged }
    let mark = CheckpointMark(salts: words[1], frames: words[2])
    return mark.sum == words[3] ? .mark(mark) : .damaged
  }
}
