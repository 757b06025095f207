/// Decoded events with the bytes they point into, filled by one thread and then handed whole to
/// another. Emptied and used again, so that a steady stream allocates nothing.
///
/// `@unchecked Sendable`: exactly one thread owns a batch at a time; the queue that hands it over
/// orders their accesses.
package final class IngestBatch: @unchecked Sendable {
  /// In input order.
  package var events: ContiguousArray<DecodedEvent> = []
  /// Of all events, each one's beside each other.
  package var readings: ContiguousArray<DecodedReading> = []
  /// First byte of the text; moves when the text grows, so keep spans, not addresses.
  package private(set) var textBase: UnsafeMutableRawPointer
  /// Bytes of text in use.
  package private(set) var textCount = 0
  /// Bytes of text allocated.
  package private(set) var textCapacity: Int
  /// Attributes of the reading being decoded.
  let slots: UnsafeMutablePointer<AttributeSlot>

  package init() {
    textCapacity = 1 << 16
    textBase = UnsafeMutableRawPointer.allocate(byteCount: textCapacity, alignment: 16)
    slots = .allocate(capacity: Limits.attributesPerReading)
  }

  deinit {
    textBase.deallocate()
    slots.deallocate()
  }

  /// Empties the batch; `keepingCapacity` keeps its memory for the next events.
  package func removeAll(keepingCapacity: Bool = true) {
    events.removeAll(keepingCapacity: keepingCapacity)
    readings.removeAll(keepingCapacity: keepingCapacity)
    textCount = 0
    guard !keepingCapacity, textCapacity > 1 << 16 else { return }
    textBase.deallocate()
    textCapacity = 1 << 16
    textBase = UnsafeMutableRawPointer.allocate(byteCount: textCapacity, alignment: 16)
  }

  /// The span's bytes where they are; valid until the batch changes.
  package func buffer(_ span: TextSpan) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: textBase + Int(span.offset), count: Int(span.length))
  }

  /// A copy of the span's bytes.
  package func bytes(_ span: TextSpan) -> ByteString {
    ByteString(buffer(span))
  }

  /// Copies bytes behind the text.
  @discardableResult
  package func append(_ bytes: UnsafeRawBufferPointer) -> TextSpan {
    let count = bytes.count
    let target = reserve(count)
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: count) }
    return commit(count)
  }

  /// Copies bytes behind the text.
  @discardableResult
  package func append(_ text: ByteString) -> TextSpan {
    text.bytes.withUnsafeBytes { append($0) }
  }

  /// Room for so many bytes behind the text, not yet part of it.
  @inline(__always) func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if _slowPath(textCapacity - textCount < count) { grow(count) }
    return textBase + textCount
  }

  /// Makes so many bytes of the room part of the text.
  @inline(__always) func commit(_ count: Int) -> TextSpan {
    let span = TextSpan(
      offset: UInt32(truncatingIfNeeded: textCount), length: UInt32(truncatingIfNeeded: count))
    textCount += count
    return span
  }

  /// Forgets everything behind a mark that was taken before.
  func rewind(events: Int, readings: Int, text: Int) {
    self.events.removeSubrange(events...)
    self.readings.removeSubrange(readings...)
    textCount = text
  }

  @inline(never) private func grow(_ count: Int) {
    let wanted = max(textCapacity * 2, textCount + count)
    // Spans are 32 bits; a batch is far smaller, see the limits of those who fill it.
    precondition(wanted <= Int(UInt32.max), "a batch's text must stay below 4 GiB")
    let grown = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
    grown.copyMemory(from: textBase, byteCount: textCount)
    textBase.deallocate()
    textBase = grown
    textCapacity = wanted
  }
}

/// An attribute on its way to a reading's canonical bytes.
struct AttributeSlot {
  var key: TextSpan
  var value: TextSpan
  var type: UInt8

  static let string: UInt8 = 0
  static let number: UInt8 = 1
  static let boolean: UInt8 = 2
}
