/// Whose purchases readings wait for.
package struct WaitingSubject: Hashable, Sendable {
  /// `SubjectKind`, raw.
  package var kind: UInt8
  /// An `originalTransactionId` or a customer's key.
  package var subject: ByteString

  package init(kind: UInt8, subject: ByteString) {
    self.kind = kind
    self.subject = subject
  }
}

/// Which reading of a ``WaitingSubject`` waits.
package struct WaitingKey: Hashable, Comparable, Sendable {
  /// Event time, microseconds.
  package var time: Int64
  /// Location of the event, raw: the order of commits.
  package var location: UInt64
  /// Number of the reading in its event.
  package var number: Int32

  package init(time: Int64, location: UInt64, number: Int32) {
    self.time = time
    self.location = location
    self.number = number
  }

  package static func < (left: WaitingKey, right: WaitingKey) -> Bool {
    (left.time, left.location, left.number) < (right.time, right.location, right.number)
  }
}

/// A reading that no purchase takes yet.
package struct WaitingReading: Sendable, Equatable {
  package var series: Series
  /// Raw 10^-9 base units.
  package var quantity: Int128
  /// Own cost's currency, packed, and raw 10^-15 amount.
  package var own: UInt32
  package var amount: Int128

  package init(series: Series, quantity: Int128, own: UInt32, amount: Int128) {
    self.series = series
    self.quantity = quantity
    self.own = own
    self.amount = amount
  }
}
