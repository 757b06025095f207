package import Metering

/// A frame to be appended: what its writer says about it, and its facts.
package struct PendingFrame {
  /// What the body is; the journal doesn't look into it.
  package var kind: UInt16
  /// When its batch was received.
  package var receivedAt: Instant
  /// The oldest time that events could have then.
  package var floor: Instant
  /// What became of its events.
  package var counts: FrameCounts
  /// The facts, at most ``StoreLimits/frameBodyBytes``; must stay valid until appended.
  package var body: UnsafeRawBufferPointer

  /// Describes a frame whose `body` the caller keeps.
  package init(
    kind: UInt16 = 0, receivedAt: Instant, floor: Instant, counts: FrameCounts = FrameCounts(),
    body: UnsafeRawBufferPointer
  ) {
    self.kind = kind
    self.receivedAt = receivedAt
    self.floor = floor
    self.counts = counts
    self.body = body
  }
}
