/// An event kept until a reload makes it valid.
package struct QuarantinedEvent: Sendable, Equatable {
  /// Number of the rejection's code.
  package var code: UInt8
  /// When it came, microseconds: the time of events that name none.
  package var receivedAt: Int64
  /// The event's JSON as sent.
  package var raw: [UInt8]

  package init(code: UInt8, receivedAt: Int64, raw: [UInt8]) {
    self.code = code
    self.receivedAt = receivedAt
    self.raw = raw
  }
}
