/// Names one accepted connection for the life of the process; never used twice.
package struct ConnectionID: Hashable, Sendable {
  /// Table slot in the low 32 bits, generation of the slot above.
  package var raw: UInt64

  init(slot: Int, generation: UInt32) {
    raw = UInt64(generation) << 32 | UInt64(slot)
  }

  init(raw: UInt64) {
    self.raw = raw
  }

  var slot: Int { Int(raw & 0xFFFF_FFFF) }
}
