/// Exact 128-bit sums as BLOBs of the fewest little-endian bytes, since SQLite's are 64-bit.
enum WideBlob {
  /// Bytes of a value: all that are needed beside its sign.
  static func count(_ value: Int128) -> Int {
    let magnitude = value < 0 ? ~value : value
    return (128 - magnitude.leadingZeroBitCount) / 8 + 1
  }

  static func value(_ bytes: UnsafeRawBufferPointer) -> Int128 {
    guard let last = bytes.last else { return 0 }
    var value: Int128 = last < 0x80 ? 0 : -1
    for byte in bytes.reversed() { value = value << 8 | Int128(byte) }
    return value
  }

  /// Parts of a unit; empty for the whole one, which most sums count.
  static func parts(_ bytes: UnsafeRawBufferPointer) -> Int128 {
    bytes.isEmpty ? 1 : max(1, value(bytes))
  }
}
