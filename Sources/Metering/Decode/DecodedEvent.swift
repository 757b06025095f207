/// A stretch of an ``IngestBatch``'s text; a length of 0 means absent unless said otherwise.
package struct TextSpan: Equatable, Sendable {
  /// First byte.
  package var offset: UInt32
  /// Number of bytes.
  package var length: UInt32

  @inlinable package init(offset: UInt32 = 0, length: UInt32 = 0) {
    self.offset = offset
    self.length = length
  }

  /// Whether there are no bytes.
  @inlinable package var isEmpty: Bool { length == 0 }
}

/// Which field names what an event belongs to; the lower wins.
package enum SubjectKind: UInt8, Sendable {
  case transaction = 0
  case chain = 1
  case customer = 2
}

/// What an input line is.
package enum EventKind: UInt8, Sendable {
  /// One or more readings.
  case usage = 0
  /// Takes an accepted event's readings back.
  case void = 1
  /// Says that all of a source's usage up to an instant has been sent.
  case mark = 2
  /// None of these; `rejection` says why.
  case rejected = 3
}

/// One event after every check that needs neither configuration nor clock nor store.
package struct DecodedEvent: Equatable, Sendable {
  /// Keyed hash of the length-prefixed source and the id (see ``HashKey/eventKey(source:id:)``);
  /// of the source's bytes alone for a mark; zero for a rejected event.
  package var key = Hash128(high: 0, low: 0)
  /// Keyed hash of what was said apart from source and id: subjects, instant if given, readings
  /// with exact quantities, units as sent, sorted attributes and costs; a void's target; a mark's
  /// instant.
  package var fingerprint: UInt64 = 0
  /// Microseconds since 1970; `Int64.min` when the event says none.
  package var time = Int64.min
  package var kind = EventKind.rejected
  /// Which field ``subject`` comes from.
  package var subjectKind = SubjectKind.transaction
  /// The `transactionId`, else the `originalTransactionId`, else the `customer`. For a rejected
  /// event one of the first two as far as it could be read.
  package var subject = TextSpan()
  /// Keyed hash of the subject's bytes, whatever its kind.
  package var subjectHash = Hash128(high: 0, low: 0)
  /// The `originalTransactionId` given beside a `transactionId`.
  package var otherChain = TextSpan()
  /// The `customer` given beside one of the other two.
  package var otherCustomer = TextSpan()
  /// Index of the first reading in the batch.
  package var firstReading: UInt32 = 0
  /// 1 to 64 for usage, else 0.
  package var readingCount: UInt16 = 0
  /// May be empty. For a rejected event: as far as it could be read.
  package var source = TextSpan()
  /// Empty for a mark. For a rejected event: as far as it could be read.
  package var id = TextSpan()
  /// The whole JSON of this event as it came.
  package var raw = TextSpan()
  /// Why the event is refused; nil for the other kinds.
  package var rejection: RejectionCode?
  /// A sentence about the rejection.
  package var detail = TextSpan()
  /// The key of the event that a void takes back.
  package var targetKey = Hash128(high: 0, low: 0)
  /// A mark's instant in microseconds; `Int64.min` for null, which retires the source.
  package var through = Int64.min

  package init() {}
}
