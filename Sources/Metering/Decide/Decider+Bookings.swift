/// Writes what events are or were booked to, beside the path that new events take.
extension Decider {
  /// The labels under which an event's readings stand in the quarter-hour sums: those of their
  /// purchases as known, since earlier sums moved when these changed.
  func standingLabels(
    of event: BookedEvent, knowing knowledge: any Knowledge
  ) throws -> [Label] {
    try event.readings.map { reading in
      guard !reading.booked.isEmpty && !reading.isLevel else { return reading.label }
      return try standingLabel(of: reading.booked, knowing: knowledge)
    }
  }

  /// The label of a transaction as known; that of early usage while its purchase isn't.
  func standingLabel(of id: ByteString, knowing knowledge: any Knowledge) throws -> Label {
    labels[Int(cached(try record(id, knowing: knowledge)).label)]
  }

  /// Most bytes of an event's head, definitions and parts.
  func room(for event: BookedEvent) -> Int {
    event.readings.reduce(EventFact.headBytes + event.subject.count + 16) {
      $0 + PartFact.partBytes + Limits.bookingBytes + $1.booked.count + $1.series.canonical.count
    }
  }

  func write(head event: BookedEvent, in frame: FrameBody) {
    event.subject.bytes.withUnsafeBytes { subject in
      var head = EventFact(
        key: event.key, fingerprint: event.fingerprint, time: event.time,
        subjectKind: event.subjectKind, isWaiting: false, isTimeDefaulted: false,
        hasExtra: false, subject: subject, booked: subject, readingCount: 1)
      head.hasParts = true
      head.write(to: &frame.writer, base: now)
    }
  }

  func write(parts readings: [BookedReading], bookings: [Int], in frame: FrameBody) {
    frame.writer.varint(UInt64(readings.count))
    for (booking, reading) in zip(bookings, readings) {
      reading.booked.bytes.withUnsafeBytes { booked in
        PartFact(
          booked: booked, number: reading.number,
          reading: ReadingFact(
            booking: booking, quantity: reading.quantity, own: reading.own,
            amount: reading.amount, extra: UnsafeRawBufferPointer(start: nil, count: 0))
        ).write(to: &frame.writer, hasExtra: false)
      }
    }
  }

  /// Writes that an event goes elsewhere; the newest statement of an event is what a void takes
  /// back.
  func write(
    rebook event: BookedEvent, from labels: [Label], to parts: [AttributedPart]
  ) {
    let to = parts.map { part -> (reading: BookedReading, label: Label) in
      guard var reading = event.readings.first(where: { $0.number == part.number }) else {
        preconditionFailure("parts are of the event's readings")
      }
      reading.booked = part.booked
      reading.quantity = part.quantity
      reading.amount = part.amount
      reading.parts = part.parts
      return (reading, self.labels[Int(part.label)])
    }
    var bytes = room(for: event)
    for part in parts { bytes += part.booked.count + PartFact.partBytes + Limits.bookingBytes }
    let frame = builder.frame(for: bytes)
    let oldBookings = zip(event.readings, labels).map {
      define($0, at: event.time, label: $1, in: frame)
    }
    let newBookings = to.map { define($0.reading, at: event.time, label: $0.label, in: frame) }
    guard let origin = event.origin else { preconditionFailure("only applied events move") }
    frame.writer.byte(FactTag.rebook.rawValue)
    frame.writer.word(origin.raw)
    write(head: event, in: frame)
    write(parts: event.readings, bookings: oldBookings, in: frame)
    write(parts: to.map(\.reading), bookings: newBookings, in: frame)
    frame.located += 1
  }

  /// Defines a booking outside the shape table, unless the frame has it. Sums stand under the epoch
  /// that the reading was booked in; totals under the rate that its time has now, as a reload made
  /// them anew.
  func define(
    _ reading: BookedReading, at time: Int64, label: Label, in frame: FrameBody
  ) -> Int {
    let stretch = configuration.stretch(
      of: reading.series.meter, at: Instant(microseconds: time)
    ).microseconds
    let key = DefinedBooking(
      series: reading.series, isLevel: reading.isLevel, epoch: reading.epoch, stretch: stretch,
      label: label, parts: reading.parts)
    if let known = frame.definedBookings[key] { return known }
    var series = frame.definedSeries[reading.series]
    if series == nil {
      series = frame.seriesCount
      frame.definedSeries[reading.series] = series
      frame.seriesCount += 1
      frame.writer.byte(FactTag.series.rawValue)
      reading.series.canonical.withUnsafeBytes { frame.writer.span($0) }
    }
    frame.writer.byte(FactTag.booking.rawValue)
    Booking(
      series: series ?? 0, isLevel: reading.isLevel, epoch: reading.epoch, label: label,
      unit: reading.unit,
      rate: configuration.rateText(series: reading.series, epoch: stretch),
      isPriced: configuration.hasRates(meter: reading.series.meter),
      isOther: label.isOther(in: configuration), parts: reading.parts
    ).write(to: &frame.writer)
    let number = frame.bookingCount
    frame.definedBookings[key] = number
    frame.bookingCount += 1
    return number
  }
}

/// What makes two bookings outside the shape table the same.
struct DefinedBooking: Hashable {
  var series: Series
  var isLevel: Bool
  var epoch: Int64
  /// Start of the stretch of constant prices that the reading lies in now, microseconds.
  var stretch: Int64
  var label: Label
  /// Parts of 10^-15 that own costs count.
  var parts: Int128
}
