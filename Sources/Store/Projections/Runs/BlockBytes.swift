/// A block under construction. ``reserve(_:)`` makes room; writing beyond it is our own bug.
struct BlockBytes: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 1 << 13
    start = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  mutating func truncate(to count: Int) {
    precondition(count <= self.count)
    self.count = count
  }

  /// Makes room for `more` bytes, and for the store of a whole word at their end.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if count + more + 8 > capacity { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more + 8)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  /// The low `bytes` bytes of a value, lowest first.
  @inline(__always)
  mutating func number(_ value: UInt64, bytes: Int) {
    precondition(count + 8 <= capacity)
    start.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt64.self)
    count += bytes
  }

  /// LEB128, at most ten bytes.
  @inline(__always)
  mutating func varint(_ value: UInt64) {
    precondition(count + 10 <= capacity)
    var rest = value
    while rest >= 0x80 {
      start.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      rest >>= 7
    }
    start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Zigzag, then LEB128.
  @inline(__always)
  mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Zigzag, then LEB128 of at most nineteen bytes.
  mutating func wide(_ value: Int128) {
    var rest = UInt128(bitPattern: (value << 1) ^ (value >> 127))
    while rest >= 0x80 {
      number(UInt64(truncatingIfNeeded: rest) & 0x7F | 0x80, bytes: 1)
      rest >>= 7
    }
    number(UInt64(truncatingIfNeeded: rest), bytes: 1)
  }

  /// Fewest bytes that hold a value, at least one.
  @inline(__always)
  static func width(of value: UInt64) -> Int { max(1, (71 - value.leadingZeroBitCount) / 8) }
}

/// Reads a stored block. What runs past the end reads as zero and marks the block as damaged: the
/// caller must look at ``isDamaged`` before it believes anything.
struct BlockReader {
  private let start: UnsafeRawPointer?
  let count: Int
  private(set) var offset = 0
  private(set) var isDamaged = false

  init(_ bytes: UnsafeRawBufferPointer) {
    start = bytes.baseAddress
    count = bytes.count
  }

  var isAtEnd: Bool { offset >= count }
  var left: Int { count - offset }

  mutating func damage() {
    isDamaged = true
    offset = count
  }

  @inline(__always)
  mutating func byte() -> UInt8 {
    guard offset < count, let start else {
      damage()
      return 0
    }
    defer { offset += 1 }
    return start.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// A value of 1 to 8 bytes.
  @inline(__always)
  mutating func number(bytes: Int) -> UInt64 {
    guard offset + bytes <= count, let start else {
      damage()
      return 0
    }
    defer { offset += bytes }
    let unused = UInt64(truncatingIfNeeded: 64 - bytes * 8)
    if offset + 8 <= count {
      let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      return (UInt64(littleEndian: word) << unused) >> unused
    }
    var value: UInt64 = 0
    for index in (0..<bytes).reversed() {
      value = value << 8 | UInt64(start.load(fromByteOffset: offset + index, as: UInt8.self))
    }
    return value
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    let first = byte()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while shift < 64 {
      let next = byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    damage()
    return 0
  }

  @inline(__always)
  mutating func signed() -> Int64 {
    let value = varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func wide() -> Int128 {
    var value: UInt128 = 0
    var shift: UInt128 = 0
    while shift < 128 {
      let next = byte()
      value |= UInt128(next & 0x7F) << shift
      if next < 0x80 { return Int128(bitPattern: value >> 1) ^ -Int128(bitPattern: value & 1) }
      shift += 7
    }
    damage()
    return 0
  }
}
