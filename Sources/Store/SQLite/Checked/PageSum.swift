import Metering

/// The sum that the last eight bytes of each page of the ledger hold, over its number and all bytes
/// before. SQLite leaves these bytes alone: its header says that they are reserved.
enum PageSum {
  /// Bytes of a page; a ledger of other pages isn't ours.
  static let pageBytes = 4_096
  /// Bytes of a page that SQLite doesn't use.
  static let reservedBytes = 8
  private static let summedBytes = pageBytes - reservedBytes

  private static func sum(_ page: UnsafeRawPointer, number: Int) -> UInt64 {
    var hash = ChainHash(seed: Hash128(high: UInt64(number), low: 0))
    hash.add(UnsafeRawBufferPointer(start: page, count: summedBytes))
    return hash.finish().high
  }

  /// Puts the sum into a page.
  static func store(in page: UnsafeMutableRawPointer, number: Int) {
    page.storeBytes(
      of: sum(page, number: number).littleEndian, toByteOffset: summedBytes, as: UInt64.self)
  }

  /// Whether a page is as it was written. One of zeroes only was never written: SQLite leaves such
  /// holes where it gave a page up before it wrote it.
  static func isRight(_ page: UnsafeRawPointer, number: Int) -> Bool {
    let stored = UInt64(
      littleEndian: page.loadUnaligned(fromByteOffset: summedBytes, as: UInt64.self))
    if stored == sum(page, number: number) { return true }
    return stored == 0
      && UnsafeRawBufferPointer(start: page, count: summedBytes).allSatisfy { $0 == 0 }
  }
}
