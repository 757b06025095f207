extension Limits {
  /// Arrays and objects within each other. Our deepest documents use 8; the reader recurses, and
  /// an unbounded depth would let a line of brackets end the process.
  package static let jsonDepth = 64
  /// Bytes of an id, source, subject, attribute key or value, meter or unit: they become keys on
  /// disk, where a few must fit a page.
  package static let nameBytes = 256
  /// Readings of one event: the frame of the journal that holds it stays small.
  package static let readingsPerEvent = 64
  /// Attributes of one reading: they are sorted and compared for every event.
  package static let attributesPerReading = 16
  /// Elements of one request body. The shortest event takes 49 bytes, so no body of 16 MiB holds
  /// more of them; but it could hold millions of elements that aren't events, each of them
  /// remembered.
  package static let eventsPerBody = 350_000
}
