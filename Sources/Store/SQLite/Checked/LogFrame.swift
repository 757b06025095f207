/// A frame of the write-ahead log, https://www.sqlite.org/fileformat2.html#the_write_ahead_log:
/// a header that says of which page it is, and the page. Its sum is made from the one before, and
/// SQLite looks at it only when it recovers the log after a crash.
enum LogFrame {
  static let logHeaderBytes = 32
  static let headerBytes = 24
  static let bytes = headerBytes + PageSum.pageBytes

  /// Offset of a frame; the first has number 1.
  static func offset(of number: Int) -> Int { logHeaderBytes + (number - 1) * bytes }

  /// The frame that an offset is in; 0 for the log's header.
  static func number(at offset: Int) -> Int {
    offset < logHeaderBytes ? 0 : (offset - logHeaderBytes) / bytes + 1
  }

  /// SQLite's running sum.
  struct Sum: Equatable {
    var one: UInt32 = 0
    var two: UInt32 = 0

    init() {}

    /// A sum as headers hold it.
    init(_ stored: UnsafeRawPointer) {
      one = UInt32(bigEndian: stored.loadUnaligned(as: UInt32.self))
      two = UInt32(bigEndian: stored.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    /// Goes on over bytes, a multiple of eight, as words of this machine's order.
    mutating func add(_ bytes: UnsafeRawPointer, count: Int) {
      var (one, two) = (one, two)
      var offset = 0
      while offset < count {
        one &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) &+ two
        two &+= bytes.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self) &+ one
        offset &+= 8
      }
      (self.one, self.two) = (one, two)
    }
  }

  /// Whether a frame's sum follows from the one before it.
  static func isRight(header: UnsafeRawPointer, page: UnsafeRawPointer, after before: Sum) -> Bool {
    var sum = before
    sum.add(header, count: 8)
    sum.add(page, count: PageSum.pageBytes)
    return sum == Sum(header + 16)
  }
}
