/// The head of an accepted event's fact; its readings follow.
struct EventFact {
  var key: Hash128
  var fingerprint: UInt64
  /// Microseconds.
  var time: Int64
  /// `SubjectKind` as sent: kept for later re-attribution.
  var subjectKind: UInt8
  /// Whether no purchase took it.
  var isWaiting: Bool
  var isTimeDefaulted: Bool
  /// Whether readings carry attributes that their meter doesn't declare.
  var hasExtra: Bool
  /// Whether a list of ``PartFact`` follows instead of readings that all go to `booked`.
  var hasParts = false
  /// The subject as sent, and the transaction that it was booked to (the same for transactions).
  var subject: UnsafeRawBufferPointer
  var booked: UnsafeRawBufferPointer
  var readingCount: Int

  static let kindMask: UInt8 = 3
  static let timeDefaulted: UInt8 = 4
  static let several: UInt8 = 8
  static let waiting: UInt8 = 16
  static let extra: UInt8 = 32
  static let parts: UInt8 = 64

  /// Longest encoding of a head beside its two ids, bytes.
  static let headBytes = 64

  init(
    key: Hash128, fingerprint: UInt64, time: Int64, subjectKind: UInt8, isWaiting: Bool,
    isTimeDefaulted: Bool, hasExtra: Bool, subject: UnsafeRawBufferPointer,
    booked: UnsafeRawBufferPointer, readingCount: Int
  ) {
    self.key = key
    self.fingerprint = fingerprint
    self.time = time
    self.subjectKind = subjectKind
    self.isWaiting = isWaiting
    self.isTimeDefaulted = isTimeDefaulted
    self.hasExtra = hasExtra
    self.subject = subject
    self.booked = booked
    self.readingCount = readingCount
  }

  init(reading reader: inout FactReader, base: Int64) {
    let flags = reader.byte()
    key = reader.hash()
    fingerprint = reader.word()
    time = base &+ reader.signed()
    subjectKind = flags & Self.kindMask
    isWaiting = flags & Self.waiting != 0
    isTimeDefaulted = flags & Self.timeDefaulted != 0
    hasExtra = flags & Self.extra != 0
    hasParts = flags & Self.parts != 0
    subject = reader.span()
    booked = subjectKind == 0 || isWaiting || hasParts ? subject : reader.span()
    readingCount = flags & Self.several != 0 ? reader.count() : 1
  }

  func write(to writer: inout FactWriter, base: Int64) {
    var flags = subjectKind
    if isTimeDefaulted { flags |= Self.timeDefaulted }
    if readingCount != 1 { flags |= Self.several }
    if isWaiting { flags |= Self.waiting }
    if hasExtra { flags |= Self.extra }
    if hasParts { flags |= Self.parts }
    writer.byte(flags)
    writer.hash(key)
    writer.word(fingerprint)
    writer.signed(time &- base)
    writer.span(subject)
    if subjectKind != 0 && !isWaiting && !hasParts { writer.span(booked) }
    if readingCount != 1 { writer.varint(UInt64(readingCount)) }
  }
}

/// One reading of an event's fact.
struct ReadingFact {
  var booking: Int
  /// Raw 10^-9 base units.
  var quantity: Int128
  /// Own cost: packed currency (zero without) and raw 10^-15 amount.
  var own: UInt32
  var amount: Int128
  /// Attributes that the meter doesn't declare, canonical as sent.
  var extra: UnsafeRawBufferPointer

  /// Longest encoding beside the extra attributes, bytes.
  static let readingBytes = 64

  init(
    booking: Int, quantity: Int128, own: UInt32, amount: Int128, extra: UnsafeRawBufferPointer
  ) {
    self.booking = booking
    self.quantity = quantity
    self.own = own
    self.amount = amount
    self.extra = extra
  }

  init(reading reader: inout FactReader, hasExtra: Bool) {
    let head = reader.varint()
    booking = Int(head >> 2)
    quantity = reader.quantity(isWhole: head & 1 != 0)
    own = 0
    amount = 0
    if head & 2 != 0 {
      own = reader.half()
      amount = reader.wide()
    }
    extra = hasExtra ? reader.span() : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func write(to writer: inout FactWriter, hasExtra: Bool) {
    let whole = FactWriter.whole(quantity)
    writer.varint(UInt64(booking) << 2 | (own == 0 ? 0 : 2) | (whole == nil ? 0 : 1))
    if let whole { writer.signed(whole) } else { writer.wide(quantity) }
    if own != 0 {
      writer.half(own)
      writer.wide(amount)
    }
    if hasExtra { writer.span(extra) }
  }

  @inline(__always)
  func sums(at time: Int64, sign: Int128) -> Sums {
    var sums = Sums()
    sums.quantity = quantity &* sign
    sums.amount = amount &* sign
    sums.count = sign > 0 ? 1 : -1
    sums.first = time
    sums.last = time
    return sums
  }
}
