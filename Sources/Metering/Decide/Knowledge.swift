/// What the writer may look up before it appends. Each call may read the disk; an error refuses
/// the whole batch with nothing written.
package protocol Knowledge: AnyObject {
  /// An event key among everything applied.
  func entry(of key: Hash128) throws -> KeyEntry?
  /// What is known about a transaction.
  func record(_ id: ByteString) throws -> PurchaseRecord?
  /// The purchases of a chain, by `purchaseDate`.
  func chain(_ original: ByteString) throws -> [PurchaseRecord]
  /// The chain's customer.
  func linkedCustomer(ofChain original: ByteString) throws -> ByteString?
  /// Quarter-hours of a transaction's usage that was booked before its purchase came.
  func earlyTally(of id: ByteString) throws -> [TallyLine]
  /// A durable event's fact.
  func event(at location: Location) throws -> BookedEvent
  /// Kept events, oldest first.
  func quarantine() throws -> [(location: UInt64, event: QuarantinedEvent)]
}

/// An accepted event as its fact tells it.
package struct BookedEvent: Sendable {
  package var key: Hash128
  package var fingerprint: UInt64
  /// Microseconds.
  package var time: Int64
  package var subjectKind: UInt8
  package var isWaiting: Bool
  package var subject: ByteString
  package var booked: ByteString
  package var readings: [BookedReading]
}

/// One reading of a ``BookedEvent``.
package struct BookedReading: Sendable {
  package var series: Series
  package var isLevel: Bool
  /// Start of the price epoch, microseconds.
  package var epoch: Int64
  package var label: Label
  package var unit: ByteString
  package var quantity: Int128
  package var own: UInt32
  package var amount: Int128
}

extension BookedEvent {
  /// Finds the fact with a number in a frame's body; nil when it isn't an accepted event.
  package static func find(
    number wanted: Int, in body: UnsafeRawBufferPointer, receivedAt: Int64
  ) -> BookedEvent? {
    var found: BookedEvent?
    FrameWalk.walk(body, receivedAt: receivedAt) { number, event in
      if number == wanted { found = event }
      return number < wanted
    }
    return found
  }
}

/// Goes through the accepted events of a frame, for voids and for verification.
package enum FrameWalk {
  /// Calls `body` with each accepted event and its number until it returns false.
  package static func walk(
    _ bytes: UnsafeRawBufferPointer, receivedAt: Int64, _ body: (Int, BookedEvent) -> Bool
  ) {
    walkAll(bytes, receivedAt: receivedAt) { number, fact in
      if case .usage(let event) = fact { return body(number, event) }
      return true
    }
  }

  /// A fact with a location.
  package enum Fact {
    /// An accepted event.
    case usage(BookedEvent)
    /// An event taken back, as it was booked.
    case void(BookedEvent)
    /// A kept event.
    case quarantine
  }

  /// Calls `body` with each fact that has a location.
  package static func walkAll(
    _ bytes: UnsafeRawBufferPointer, receivedAt: Int64, _ body: (Int, Fact) -> Bool
  ) {
    var walker = Walker(receivedAt: receivedAt)
    var reader = FactReader(bytes)
    var number = 0
    while !reader.isAtEnd {
      guard let tag = FactTag(rawValue: reader.byte()) else {
        preconditionFailure("unknown fact in a frame of this format")
      }
      guard let fact = walker.read(tag, &reader) else { continue }
      if !body(number, fact) { return }
      number += 1
    }
  }
}

/// Reads facts one after another, remembering the frame's definitions.
private struct Walker {
  let receivedAt: Int64
  var series: [Series] = []
  var bookings: [Booking] = []

  init(receivedAt: Int64) { self.receivedAt = receivedAt }

  mutating func read(_ tag: FactTag, _ reader: inout FactReader) -> FrameWalk.Fact? {
    switch tag {
    case .series: series.append(Series(canonical: reader.span()))
    case .booking: bookings.append(Booking(reading: &reader))
    case .usage: return .usage(event(&reader))
    case .void:
      _ = reader.hash()
      _ = reader.word()
      _ = reader.word()
      return .void(event(&reader))
    case .mark, .consent:
      _ = reader.span()
      _ = reader.word()
      if tag == .consent { _ = reader.byte() }
    case .record, .link:
      _ = reader.span()
      _ = reader.span()
    case .quarantine:
      _ = reader.byte()
      _ = reader.word()
      _ = reader.span()
      return .quarantine
    case .release:
      _ = reader.word()
      _ = reader.varint()
      _ = reader.byte()
    case .move: skipMove(&reader)
    case .rejections:
      for _ in 0..<reader.varint() {
        _ = reader.byte()
        _ = reader.varint()
      }
    }
    return nil
  }

  private func skipMove(_ reader: inout FactReader) {
    _ = reader.span()
    for _ in 0..<reader.varint() {
      _ = reader.varint()
      _ = reader.word()
      _ = reader.half()
      _ = reader.wide()
      _ = reader.wide()
      _ = reader.signed()
      _ = reader.word()
      _ = reader.word()
    }
  }

  private func event(_ reader: inout FactReader) -> BookedEvent {
    let head = EventFact(reading: &reader, base: receivedAt)
    var readings: [BookedReading] = []
    for _ in 0..<head.readingCount {
      let reading = ReadingFact(reading: &reader, hasExtra: head.hasExtra)
      let booking = bookings[reading.booking]
      readings.append(
        BookedReading(
          series: series[booking.series], isLevel: booking.isLevel, epoch: booking.epoch,
          label: booking.label, unit: booking.unit, quantity: reading.quantity, own: reading.own,
          amount: reading.amount))
    }
    return BookedEvent(
      key: head.key, fingerprint: head.fingerprint, time: head.time,
      subjectKind: head.subjectKind, isWaiting: head.isWaiting,
      subject: ByteString(head.subject), booked: ByteString(head.booked), readings: readings)
  }
}

extension Booking {
  init(reading reader: inout FactReader) {
    series = Int(reader.varint())
    let flags = reader.byte()
    isLevel = flags & 1 != 0
    isPriced = flags & 2 != 0
    epoch = Int64(bitPattern: reader.word())
    let product = reader.text()
    label = Label(product: product, environment: reader.text())
    unit = reader.text()
    rate = reader.text()
  }

  func write(to writer: inout FactWriter) {
    writer.varint(UInt64(series))
    writer.byte((isLevel ? 1 : 0) | (isPriced ? 2 : 0))
    writer.word(UInt64(bitPattern: epoch))
    writer.text(label.product)
    writer.text(label.environment)
    writer.text(unit)
    writer.text(rate)
  }
}
