/// An accepted event's identity, its content's fingerprint, and where its fact is.
package struct KeyEntry: Sendable {
  package var key: Hash128
  package var fingerprint: UInt64
  package var location: Location
  /// Whether the event was taken back since.
  package var isVoided: Bool
  /// Whether the event is itself a void.
  package var isVoid: Bool

  /// Takes an entry back from a run's record.
  package init(
    key: Hash128, fingerprint: UInt64, location: Location, isVoided: Bool, isVoid: Bool
  ) {
    self.key = key
    self.fingerprint = fingerprint
    self.location = location
    self.isVoided = isVoided
    self.isVoid = isVoid
  }
}
