import Glibc

/// Newline searches over raw bytes; memchr is vectorised.
enum ByteSearch {
  static func firstNewline(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(ASCII.lineFeed), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// Searches backwards in `bytes[start..<end]`; the distance is about half a line.
  static func lastNewline(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    var index = end
    while index > start {
      index -= 1
      if bytes[index] == ASCII.lineFeed { return index }
    }
    return nil
  }
}
