/// A durable frame as apply needs it.
package struct DurableFrame {
  package var body: UnsafeRawBufferPointer
  package var address: UInt64
  package var sequence: UInt64
  package var chain: Hash128
  /// Base of the times in the frame, microseconds.
  package var receivedAt: Int64
  package var floor: Int64
  package var accepted: UInt32
  package var duplicates: UInt32
  package var conflicts: UInt32
  package var rejected: UInt32
  /// Of the usage facts, in order, as far as somebody knows.
  package var expected: ContiguousArray<ExpectedPlaces>

  /// Takes what the journal's header says beside the body.
  package init(
    body: UnsafeRawBufferPointer, address: UInt64, sequence: UInt64, chain: Hash128,
    receivedAt: Int64, floor: Int64, accepted: UInt32, duplicates: UInt32, conflicts: UInt32,
    rejected: UInt32, expected: ContiguousArray<ExpectedPlaces> = []
  ) {
    self.body = body
    self.address = address
    self.sequence = sequence
    self.chain = chain
    self.receivedAt = receivedAt
    self.floor = floor
    self.accepted = accepted
    self.duplicates = duplicates
    self.conflicts = conflicts
    self.rejected = rejected
    self.expected = expected
  }
}
