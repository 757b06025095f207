/// A place in the journal: the frame's address and the event's number inside the frame.
package struct Location: Hashable, Sendable {
  /// Address in the upper 52 bits, number in the lower 12.
  package var raw: UInt64

  /// Packs an address and a number; a frame of 64 KiB holds fewer than 4,096 events.
  package init(address: UInt64, number: Int) {
    precondition(number < 4096 && address < 1 << 52)
    raw = address << 12 | UInt64(number)
  }

  /// The same for numbers that nobody has checked; nil where they are too large.
  package init?(ifAt address: UInt64, number: Int) {
    guard number < 4096 && address < 1 << 52 else { return nil }
    self.init(address: address, number: number)
  }

  /// Takes a packed location back from a run's record.
  package init(raw: UInt64) { self.raw = raw }

  /// Address of the frame in the journal.
  package var address: UInt64 { raw >> 12 }
  /// Number of the event among the events of its frame.
  package var number: Int { Int(raw & 0xFFF) }
}
