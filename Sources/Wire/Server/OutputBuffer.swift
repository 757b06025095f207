/// Bytes that wait to be sent.
struct OutputBuffer {
  private(set) var bytes: [UInt8] = []
  private var start = 0
  /// All that was ever sent.
  private(set) var sent: UInt64 = 0

  var count: Int { bytes.count - start }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: [UInt8]) {
    bytes += more
  }

  /// Appends in place.
  mutating func edit(_ body: (inout [UInt8]) -> Void) {
    body(&bytes)
  }

  /// Sends as much as the socket takes.
  mutating func flush(to descriptor: Int32) -> System.Transfer {
    let result = bytes.withUnsafeBytes { all in
      System.send(descriptor, UnsafeRawBufferPointer(rebasing: all[start...]))
    }
    guard case .bytes(let count) = result else { return result }
    sent += UInt64(count)
    start += count
    if start == bytes.count {
      // A large answer's memory isn't kept for small ones.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Limits.fairReadBytes)
      start = 0
    } else if start >= max(self.count, Limits.fairReadBytes) {
      // A peer that is never quite through would have all that was ever sent kept.
      bytes.removeFirst(start)
      start = 0
    }
    return result
  }

  mutating func removeAll() {
    bytes = []
    start = 0
  }
}
