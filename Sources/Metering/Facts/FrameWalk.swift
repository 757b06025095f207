/// An accepted event as its newest fact tells it.
package struct BookedEvent: Sendable {
  package var key: Hash128
  package var fingerprint: UInt64
  /// Microseconds.
  package var time: Int64
  package var subjectKind: UInt8
  /// The subject as sent, a customer by its key.
  package var subject: ByteString
  /// Where the event first stood; nil for a void of an event in an earlier frame of its commit,
  /// unless the walk knows that frame's address.
  package var origin: Location?
  package var readings: [BookedReading]
}

extension BookedEvent {
  /// Whether it is an opening balance, which no sender named.
  package var isBalance: Bool { key == Hash128(high: 0, low: 0) }
}

/// One reading of a ``BookedEvent``, or the part of one that a purchase took.
package struct BookedReading: Sendable {
  /// Number of the reading in its event.
  package var number: Int
  /// The transaction, or for a level the id that its series stands under; empty while it waits.
  package var booked: ByteString
  package var series: Series
  package var isLevel: Bool
  /// Start of the price epoch, microseconds.
  package var epoch: Int64
  package var label: Label
  package var unit: ByteString
  package var quantity: Int128
  package var own: UInt32
  package var amount: Int128
  /// Parts of 10^-15 that the amount counts: more than one for what a split left of an own cost.
  package var parts: Int128 = 1
}

/// A frame whose sums fit, yet whose facts no program of this format writes.
package struct DamagedFrame: Error, CustomStringConvertible {
  /// What is wrong with it.
  package var fault: StaticString

  /// Says what is wrong with a frame.
  package init(_ fault: StaticString) { self.fault = fault }

  package var description: String {
    "a frame of the journal holds facts that make no sense: \(fault)"
  }
}

/// Goes through the facts of a frame that have a location.
package enum FrameWalk {
  /// A fact with a location.
  package enum Fact: Sendable {
    /// An accepted event, or an opening balance.
    case usage(BookedEvent)
    /// An event or balance taken back, as it was booked.
    case void(BookedEvent)
    /// An event that goes elsewhere than before.
    case rebook(from: BookedEvent, to: BookedEvent)
    /// A kept event.
    case quarantine

    /// The event as the fact leaves it; nil when it leaves none.
    package var standing: BookedEvent? {
      switch self {
      case .usage(let event), .rebook(_, let event): event
      case .void, .quarantine: nil
      }
    }

    /// Calls `body` with everything that the fact adds (1) or takes away (-1).
    package func forEachChange(_ body: (BookedEvent, Int128) -> Void) {
      switch self {
      case .usage(let event): body(event, 1)
      case .void(let event): body(event, -1)
      case .rebook(let from, let to):
        body(from, -1)
        body(to, 1)
      case .quarantine: break
      }
    }
  }

  /// Calls `body` with each fact and its number until it returns false. `address` is the frame's,
  /// `receivedAt` the base of its times, `earlier` the addresses of the frames before it. Throws
  /// ``DamagedFrame`` at what no program of this format writes, and calls `body` with none of it.
  package static func walk(
    _ bytes: UnsafeRawBufferPointer, address: UInt64, receivedAt: Int64, earlier: [UInt64] = [],
    _ body: (Int, Fact) -> Bool
  ) throws(DamagedFrame) {
    var walker = Walker(address: address, receivedAt: receivedAt, earlier: earlier)
    var reader = FactReader(bytes)
    while !reader.isAtEnd {
      guard let tag = FactTag(rawValue: reader.byte()) else {
        throw DamagedFrame("it has a fact of an unknown kind")
      }
      let found = walker.read(tag, &reader)
      guard !reader.isDamaged else { throw DamagedFrame(reader.fault) }
      guard let fact = found else { continue }
      if !body(walker.located - 1, fact) { return }
    }
  }

  /// The fact with a number; nil when the frame has none. Throws as
  /// ``walk(_:address:receivedAt:earlier:_:)`` does.
  package static func fact(
    number wanted: Int, in bytes: UnsafeRawBufferPointer, address: UInt64, receivedAt: Int64
  ) throws(DamagedFrame) -> Fact? {
    var found: Fact?
    try walk(bytes, address: address, receivedAt: receivedAt) { number, fact in
      if number == wanted { found = fact }
      return number < wanted
    }
    return found
  }
}

/// Reads facts one after another, remembering the frame's definitions.
private struct Walker {
  let address: UInt64
  let receivedAt: Int64
  let earlier: [UInt64]
  /// Facts with a location so far.
  private(set) var located = 0
  private var series: [Series] = []
  private var bookings: [Booking] = []

  init(address: UInt64, receivedAt: Int64, earlier: [UInt64]) {
    self.address = address
    self.receivedAt = receivedAt
    self.earlier = earlier
  }

  mutating func read(_ tag: FactTag, _ reader: inout FactReader) -> FrameWalk.Fact? {
    switch tag {
    case .series:
      if let found = Series(ifCanonical: reader.span()) {
        series.append(found)
      } else {
        reader.damage("it names no series")
      }
    case .booking:
      let booking = Booking(reading: &reader)
      if booking.series >= series.count { reader.damage("it books a series that isn't there") }
      bookings.append(booking)
    case .usage, .split: return .usage(usage(&reader))
    case .void: return .void(void(&reader))
    case .rebook: return rebook(&reader)
    case .opening:
      let isAdded = reader.byte() != 0
      let balance = usage(&reader)
      return isAdded ? .usage(balance) : .void(balance)
    case .quarantine:
      _ = reader.byte()
      _ = reader.word()
      _ = reader.span()
      _ = nextLocation(&reader)
      return .quarantine
    default: skip(tag, &reader)
    }
    return nil
  }

  private func skip(_ tag: FactTag, _ reader: inout FactReader) {
    switch tag {
    case .mark, .consent:
      _ = reader.span()
      _ = reader.word()
      if tag == .consent { _ = reader.byte() }
    case .record:
      for _ in 0..<4 { _ = reader.span() }
    case .link:
      _ = reader.span()
      _ = reader.span()
    case .release:
      _ = reader.word()
      if reader.varint() > UInt64(Int64.max) { reader.damage("it lets go of too much") }
      _ = reader.byte()
    case .relabel: skipRelabel(&reader)
    case .followUp:
      if FollowUp.Kind(rawValue: reader.byte()) == nil { reader.damage("it names unknown work") }
      _ = reader.span()
      _ = reader.byte()
      _ = reader.span()
      _ = reader.span()
      _ = reader.word()
    case .rejections:
      for _ in 0..<reader.count() {
        _ = reader.byte()
        _ = reader.varint()
      }
    case .notification:
      _ = reader.span()
      _ = reader.byte()
      _ = reader.word()
    case .change:
      if Change.Kind(rawValue: reader.byte()) == nil { reader.damage("it changes nothing known") }
      _ = reader.span()
    case .series, .booking, .usage, .split, .void, .rebook, .opening, .quarantine:
      preconditionFailure("read before")
    }
  }

  private func skipRelabel(_ reader: inout FactReader) {
    for _ in 0..<reader.count() {
      let (from, to) = (reader.number(), reader.number())
      _ = reader.word()
      _ = reader.half()
      _ = reader.wide()
      let amount = reader.wide()
      guard from < bookings.count, to < bookings.count else {
        return reader.damage("it moves a booking that isn't there")
      }
      let parts = bookings[to].parts
      if parts != bookings[from].parts
        || (parts != 1 && amount.magnitude / parts.magnitude >= Limits.restsAtOnce)
      {
        return reader.damage("it moves a cost of other parts")
      }
      _ = reader.signed()
      _ = reader.word()
      _ = reader.word()
    }
  }

  private mutating func nextLocation(_ reader: inout FactReader) -> Location {
    defer { located += 1 }
    return location(address: address, number: located, &reader)
  }

  private func location(
    address: UInt64, number: Int, _ reader: inout FactReader
  ) -> Location {
    guard let location = Location(ifAt: address, number: number) else {
      reader.damage("it has more facts than can be told apart")
      return Location(raw: 0)
    }
    return location
  }

  private mutating func usage(_ reader: inout FactReader) -> BookedEvent {
    let head = EventFact(reading: &reader, base: receivedAt)
    var event = BookedEvent(head, origin: nextLocation(&reader))
    if head.hasParts {
      event.readings = parts(&reader, head)
    } else {
      let booked = head.isWaiting ? ByteString("") : ByteString(head.booked)
      for number in 0..<head.readingCount {
        let reading = ReadingFact(reading: &reader, hasExtra: head.hasExtra)
        guard let one = self.reading(reading, number: number, booked: booked) else {
          reader.damage("it has a reading of no booking")
          break
        }
        event.readings.append(one)
      }
    }
    return event
  }

  private mutating func void(_ reader: inout FactReader) -> BookedEvent {
    _ = reader.hash()
    _ = reader.word()
    _ = nextLocation(&reader)
    let origin = resolve(LocationReference(reading: &reader), &reader)
    let head = EventFact(reading: &reader, base: receivedAt)
    var event = BookedEvent(head, origin: origin)
    event.readings = parts(&reader, head)
    return event
  }

  private func resolve(
    _ reference: LocationReference, _ reader: inout FactReader
  ) -> Location? {
    switch reference {
    case .absolute(let location): return location
    case .relative(0, let number):
      return location(address: address, number: number, &reader)
    case .relative(let framesBack, let number):
      guard framesBack <= earlier.count else { return nil }
      return location(address: earlier[earlier.count - framesBack], number: number, &reader)
    }
  }

  private mutating func rebook(_ reader: inout FactReader) -> FrameWalk.Fact {
    _ = nextLocation(&reader)
    let origin = Location(raw: reader.word())
    let head = EventFact(reading: &reader, base: receivedAt)
    var from = BookedEvent(head, origin: origin)
    var to = from
    from.readings = parts(&reader, head)
    to.readings = parts(&reader, head)
    return .rebook(from: from, to: to)
  }

  private func parts(_ reader: inout FactReader, _ head: EventFact) -> [BookedReading] {
    var parts: [BookedReading] = []
    for _ in 0..<reader.count() {
      let part = PartFact(reading: &reader, hasExtra: head.hasExtra)
      let booked = ByteString(part.booked)
      guard let one = reading(part.reading, number: part.number, booked: booked) else {
        reader.damage("it has a reading of no booking")
        break
      }
      parts.append(one)
    }
    return parts
  }

  private func reading(
    _ fact: ReadingFact, number: Int, booked: ByteString
  ) -> BookedReading? {
    guard fact.booking < bookings.count, bookings[fact.booking].series < series.count else {
      return nil
    }
    let booking = bookings[fact.booking]
    return BookedReading(
      number: number, booked: booked, series: series[booking.series], isLevel: booking.isLevel,
      epoch: booking.epoch, label: booking.label, unit: booking.unit, quantity: fact.quantity,
      own: fact.own, amount: fact.amount, parts: booking.parts)
  }
}

extension BookedEvent {
  fileprivate init(_ head: EventFact, origin: Location?) {
    self.init(
      key: head.key, fingerprint: head.fingerprint, time: head.time,
      subjectKind: head.subjectKind, subject: ByteString(head.subject), origin: origin,
      readings: [])
  }
}

extension Booking {
  init(reading reader: inout FactReader) {
    series = reader.number()
    let flags = reader.byte()
    isLevel = flags & Self.level != 0
    isPriced = flags & Self.priced != 0
    isOther = flags & Self.other != 0
    epoch = Int64(bitPattern: reader.word())
    let product = reader.text()
    label = Label(product: product, environment: reader.text())
    unit = reader.text()
    rate = reader.text()
    if flags & Self.fraction != 0 { parts = reader.wide() }
    if !(1...Limits.exactlySplitQuantity).contains(parts) {
      reader.damage("it counts a cost in no parts")
    }
  }

  func write(to writer: inout FactWriter) {
    writer.varint(UInt64(series))
    writer.byte(
      (isLevel ? Self.level : 0) | (isPriced ? Self.priced : 0) | (isOther ? Self.other : 0)
        | (parts == 1 ? 0 : Self.fraction))
    writer.word(UInt64(bitPattern: epoch))
    writer.text(label.product)
    writer.text(label.environment)
    writer.text(unit)
    writer.text(rate)
    if parts != 1 { writer.wide(parts) }
  }
}
