/// A growing stretch of raw memory. Whoever holds it frees `base`.
struct BatchText {
  var base: UnsafeMutableRawPointer
  /// Bytes in use.
  var count = 0
  /// Bytes allocated.
  var capacity: Int

  init(capacity: Int) {
    base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  /// The span's bytes where they are, until the text grows.
  @inline(__always) func buffer(_ span: TextSpan) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(span.offset), count: Int(span.length))
  }

  /// Copies bytes behind the text.
  @inline(__always) mutating func append(_ bytes: UnsafeRawBufferPointer) -> TextSpan {
    let count = bytes.count
    let target = reserve(count)
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: count) }
    return commit(count)
  }

  /// Room for so many bytes behind the text, not yet part of it.
  @inline(__always) mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if _slowPath(capacity &- self.count < count) { grow(count) }
    return base + self.count
  }

  /// Makes so many bytes of the room part of the text.
  @inline(__always) mutating func commit(_ count: Int) -> TextSpan {
    let span = TextSpan(
      offset: UInt32(truncatingIfNeeded: self.count), length: UInt32(truncatingIfNeeded: count))
    self.count &+= count
    return span
  }

  @inline(never) private mutating func grow(_ more: Int) {
    let wanted = max(capacity * 2, count + more)
    // Spans are 32 bits; a batch is far smaller, see the limits of those who fill it.
    precondition(wanted <= Int(UInt32.max), "a batch's text must stay below 4 GiB")
    let grown = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
    grown.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = grown
    capacity = wanted
  }
}
