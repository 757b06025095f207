/// What a sum is kept for, apart from its purchase: a series, a price epoch, a currency.
package struct SumKey: Hashable, Sendable {
  /// Number of the series in its memtable.
  package var series: Int32
  /// Currency of own costs, packed; zero for usage that the price book rates.
  package var own: UInt32
  /// Start of the price epoch, microseconds; `Int64.min` for the first.
  package var epoch: Int64
}

/// Exact sums of readings with one ``SumKey``. Voids subtract, so deltas may be negative.
package struct Sums: Sendable, Equatable {
  /// Σ quantity, raw 10^-9 base units.
  package var quantity: Int128 = 0
  /// Σ own cost, raw 10^-15 currency units.
  package var amount: Int128 = 0
  /// Readings counted.
  package var count: Int64 = 0
  /// Earliest and latest event time of the readings, microseconds.
  package var first: Int64 = .max
  package var last: Int64 = .min

  package init() {}

  /// Adds another delta; whoever decided has checked that no total overflows.
  package mutating func add(_ other: Sums) {
    quantity += other.quantity
    amount += other.amount
    count += other.count
    first = min(first, other.first)
    last = max(last, other.last)
  }

  /// Turns what was added into what is taken away; the times stay.
  mutating func negate() {
    quantity = -quantity
    amount = -amount
    count = -count
  }
}

/// One sum of one purchase in a memtable.
package struct UsageEntry: Sendable {
  /// Number of the purchase's next entry, or -1.
  package var next: Int32
  /// Number of the ``SumKey``.
  package var key: Int32
  package var sums: Sums
}

/// A purchase that a memtable has deltas for.
package struct SubjectEntry: Sendable {
  package var hash: Hash128
  /// The id's bytes in the memtable's text.
  var idOffset: UInt32
  var idCount: UInt32
  /// Number of the first ``UsageEntry``, or -1.
  package var firstUsage: Int32
  /// Number of the last ``TrailEntry``, or -1.
  package var lastTrail: Int32 = -1
}

/// One fact that booked readings to a purchase: a step of its trail.
package struct TrailEntry: Sendable, Equatable {
  /// Number of the subject.
  package var subject: Int32
  /// Number of the purchase's entry before, or -1.
  var previous: Int32
  /// Location of the fact, raw.
  package var location: UInt64
}

/// A level reported for a transaction, a chain or a customer.
package struct PointEntry: Sendable, Equatable {
  /// Number of the subject and of the series.
  package var subject: Int32
  package var series: Int32
  /// Event time, microseconds.
  package var time: Int64
  /// Orders points of one instant: the journal location of the event.
  package var tie: UInt64
  /// The level, raw 10^-9 base units.
  package var value: Int128
  /// Whether the point is taken back.
  package var isRemoved: Bool
}

/// Key of a quarter-hour sum.
package struct TallyKey: Hashable, Sendable {
  /// Start of the quarter-hour, microseconds.
  package var slot: Int64
  /// Number of the label.
  package var label: Int32
  /// Number of the ``SumKey``.
  package var sum: Int32
}

/// A meter with its declared attributes, in canonical bytes.
package struct Series: Hashable, Sendable {
  package var meter: ByteString
  /// Declared attributes, sorted by key.
  package var attributes: [SeriesAttribute]

  package init(meter: ByteString, attributes: [SeriesAttribute]) {
    self.meter = meter
    self.attributes = attributes
  }

  /// Length-prefixed meter and attributes: equal bytes if and only if equal series.
  package var canonical: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ text: ByteString) {
      bytes.append(UInt8(truncatingIfNeeded: text.count))
      bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
      bytes += text.bytes
    }
    append(meter)
    for attribute in attributes {
      append(attribute.key)
      append(attribute.value)
    }
    return bytes
  }

  /// Bytes of ``canonical``.
  package var canonicalCount: Int {
    attributes.reduce(2 + meter.count) { $0 + 4 + $1.key.count + $1.value.count }
  }

  /// Takes canonical bytes back, of which a sum was checked.
  package init(canonical bytes: UnsafeRawBufferPointer) {
    guard let series = Series(ifCanonical: bytes) else {
      preconditionFailure("the bytes of a series")
    }
    self = series
  }

  /// Takes canonical bytes back; nil for others.
  package init?(ifCanonical bytes: UnsafeRawBufferPointer) {
    var offset = 0
    func next() -> ByteString? {
      guard bytes.count - offset >= 2 else { return nil }
      let count = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
      guard bytes.count - offset - 2 >= count else { return nil }
      defer { offset += 2 + count }
      return ByteString(bytes[offset + 2..<offset + 2 + count])
    }
    guard let meter = next() else { return nil }
    self.init(meter: meter, attributes: [])
    while offset < bytes.count {
      guard let key = next(), let value = next() else { return nil }
      attributes.append(SeriesAttribute(key: key, value: value))
    }
  }
}

/// One declared attribute of a series.
package struct SeriesAttribute: Hashable, Sendable {
  package var key: ByteString
  package var value: ByteString

  package init(key: ByteString, value: ByteString) {
    self.key = key
    self.value = value
  }
}
