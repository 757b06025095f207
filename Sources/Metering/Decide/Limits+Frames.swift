/// What facts may take in a frame and an entry, each bound made of the bounds of what it holds, so
/// that what comes in and what it makes can't part. ``boundFaults`` says where they would.
extension Limits {
  /// Meters, attributes and units of one event in canonical form, bytes: the event's own text, and
  /// what tells the parts of one text apart.
  static let eventTextBytes = eventBytes + readingsPerEvent * (8 + 5 * attributesPerReading)
  /// Parts that one event can be booked in: each of its readings, one of them split, and what is
  /// left of its own cost in each part of that one.
  static let partsPerEvent = readingsPerEvent + 2 * splitPurchases - 1
  /// Environments are two, and usage whose purchase isn't known has "unknown".
  static let environmentBytes = 16
  /// Text of a rate, `n/d|CUR`, bytes: a price by an amount of a unit, with all their digits.
  static let rateBytes = 6 * decimalDigits + 3 * amountDigits + 64
  /// Longest definition of a booking beside its series' text, bytes: product, environment, unit (of
  /// a level `.s` is added) and rate, with their lengths, and what numbers series and epoch take.
  static let bookingBytes =
    purchaseTextBytes + environmentBytes + (nameBytes + 2) + rateBytes + 56
  /// An id that something is booked to, bytes, with its length; a customer's levels have a mark
  /// before the customer.
  static let bookedBytes = nameBytes + 4
  /// A part of an event with the definition that it needs, bytes.
  static let partBytes = PartFact.partBytes + bookedBytes + bookingBytes
  /// Parts of one event, bytes.
  static let partsBytes = partsPerEvent * partBytes
  /// Largest fact of an accepted event, bytes: also attributes that its meters don't declare.
  static let usageFactBytes = eventHeadBytes + partsBytes + 2 * eventTextBytes
  /// Largest fact that takes an event back, bytes.
  static let voidFactBytes = 2 * eventHeadBytes + partsBytes + eventTextBytes
  /// Largest fact that an event goes elsewhere, bytes: as it was booked, each reading whole since
  /// what was split stays, and as it is.
  static let rebookFactBytes =
    eventHeadBytes + readingsPerEvent * partBytes + partsBytes + eventTextBytes
  /// Largest fact that changes a label, bytes: one line is written whatever it takes.
  static let relabelFactBytes = frameBytes + relabelledLineBytes + eventTextBytes
  /// Largest record, bytes: what a purchase holds, its cases, and what it is found by.
  static let recordFactBytes =
    recordBytes + cases * caseBytes + casesWithFigures * figuresBytes + 4 * purchaseTextBytes
  /// One refund case beside its figures, bytes: reason, responder, what was sent and instants.
  static let caseBytes = reasonBytes + nameBytes + sentBytes + 256
  /// Longest head of an event with its two ids, bytes.
  static let eventHeadBytes = EventFact.headBytes + 2 * bookedBytes
  /// A line of a relabelling without its series' text, bytes: a booking it goes from, one it goes
  /// to, and what goes.
  static let relabelledLineBytes = 2 * bookingBytes + 128
  /// The largest fact of all, bytes.
  package static let factBytes =
    [usageFactBytes, voidFactBytes, rebookFactBytes, relabelFactBytes, recordFactBytes].max() ?? 0
  /// Room of one frame, bytes: the journal takes no longer body.
  package static let frameCapacityBytes = 512 << 10
  /// Facts of one entry after which it ends and the batch goes on in the next, bytes: several times
  /// what a usual batch makes, and far less than a segment.
  package static let entryBytes = 8 << 20
  /// Event keys of one entry after which it ends: twice a usual batch, which is never cut.
  package static let entryKeys = 2 * batchEvents
  /// Most that an entry takes, bytes: whether it is full is asked between the events that are
  /// looked ahead for, and a frame that ends early leaves its head.
  package static let entryBytesMax = entryBytes + (LookAhead.window + 1) * factBytes

  /// Which bounds don't fit each other; empty in a program that may start.
  package static var boundFaults: [String] {
    var faults: [String] = []
    func check(_ isRight: Bool, _ fault: String) {
      if !isRight { faults.append(fault) }
    }
    check(factBytes <= frameCapacityBytes, "a fact of \(factBytes) bytes doesn't fit a frame")
    check(frameBytes <= frameCapacityBytes, "a frame is full before it is closed")
    check(eventBytes + 64 <= factBytes, "a kept event isn't below a fact")
    check(frameFacts < 1 << 12, "a location can't number a frame's facts")
    check(entryKeys > batchEvents, "a usual batch is cut")
    check(quarantinedEventBytes >= eventBytes, "an event that is taken can't be kept")
    check(transactionIdBytes <= nameBytes, "an event can't name each transaction")
    return faults
  }
}
