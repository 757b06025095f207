/// Decoded events with the bytes they point into, filled by one thread and then handed whole to
/// another. Emptied and used again, so that a steady stream allocates nothing.
///
/// `@unchecked Sendable`: exactly one thread owns a batch at a time; the queue that hands it over
/// orders their accesses. For the same reason its hot properties do without dynamic checks of
/// exclusive access, which would cost more than the parsing.
package final class IngestBatch: @unchecked Sendable {
  /// In input order.
  @exclusivity(unchecked) package var events: ContiguousArray<DecodedEvent> = []
  /// Of all events, each one's beside each other.
  @exclusivity(unchecked) package var readings: ContiguousArray<DecodedReading> = []
  /// The bytes that spans point into; of its own address, so that the decoder needs no reference.
  let text: UnsafeMutablePointer<BatchText>
  /// Attributes of the reading being decoded.
  let slots: UnsafeMutablePointer<AttributeSlot>
  /// Shapes of the batch's readings.
  let shapes: UnsafeMutablePointer<ShapeMemo>
  /// Days of the instants before, also of other batches.
  let days = DayMemo()

  /// What the events cost that took the careful way: ``Limits/carefulEventCost`` and their bytes
  /// each.
  @exclusivity(unchecked) package var carefulCost = 0

  package init() {
    text = .allocate(capacity: 1)
    text.initialize(to: BatchText(capacity: Self.firstCapacity))
    slots = .allocate(capacity: Limits.attributesPerReading)
    shapes = .allocate(capacity: 1)
    shapes.initialize(to: ShapeMemo())
  }

  deinit {
    text.pointee.base.deallocate()
    text.deallocate()
    slots.deallocate()
    shapes.pointee.deallocate()
    shapes.deallocate()
    days.deallocate()
  }

  /// Bytes of text in use.
  package var textCount: Int { text.pointee.count }

  /// First byte of the text; moves when the text grows, so keep spans, not addresses.
  package var textBase: UnsafeRawPointer { UnsafeRawPointer(text.pointee.base) }

  private static let firstCapacity = 1 << 16

  /// Empties the batch; `keepingCapacity` keeps its memory for the next events.
  package func removeAll(keepingCapacity: Bool = true) {
    events.removeAll(keepingCapacity: keepingCapacity)
    readings.removeAll(keepingCapacity: keepingCapacity)
    text.pointee.count = 0
    carefulCost = 0
    shapes.pointee.forget()
    guard !keepingCapacity, text.pointee.capacity > Self.firstCapacity else { return }
    text.pointee.base.deallocate()
    text.pointee = BatchText(capacity: Self.firstCapacity)
  }

  /// Appends a rejected event in the place of one that is longer than ``Limits/eventBytes``, of
  /// which nothing is looked at.
  package func appendTooLarge() {
    var event = DecodedEvent()
    event.kind = .rejected
    event.rejection = .tooLarge
    events.append(event)
  }

  /// The span's bytes where they are; valid until the batch changes.
  package func buffer(_ span: TextSpan) -> UnsafeRawBufferPointer {
    text.pointee.buffer(span)
  }

  /// A copy of the span's bytes.
  package func bytes(_ span: TextSpan) -> ByteString {
    ByteString(buffer(span))
  }

  /// Copies bytes behind the text.
  @discardableResult
  package func append(_ bytes: UnsafeRawBufferPointer) -> TextSpan {
    text.pointee.append(bytes)
  }

  /// Copies bytes behind the text.
  @discardableResult
  package func append(_ text: ByteString) -> TextSpan {
    text.bytes.withUnsafeBytes { append($0) }
  }

  /// Forgets everything behind a mark that was taken before.
  func rewind(events: Int, readings: Int, text: Int) {
    self.events.removeSubrange(events...)
    self.readings.removeSubrange(readings...)
    self.text.pointee.count = text
    shapes.pointee.forget()
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
