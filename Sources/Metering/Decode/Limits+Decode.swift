extension Limits {
  /// Arrays and objects within each other. Our deepest documents use 8; the reader recurses, and
  /// an unbounded depth would let a line of brackets end the process.
  package static let jsonDepth = 64
  /// Members of one object of an event or a request: our own have some dozens, Apple's forty. Each
  /// becomes a node that is compared with the others, and a body could hold a million. Files that
  /// people write aren't bound by it.
  package static let jsonMembers = 1_024
  /// Bytes of an id, source, subject, attribute key or value, meter or unit: they become keys on
  /// disk, where a few must fit a page.
  package static let nameBytes = 256
  /// Readings of one event: the frame of the journal that holds it stays small.
  package static let readingsPerEvent = 64
  /// Attributes of one reading: they are sorted and compared for every event.
  package static let attributesPerReading = 16
  /// Bytes of one event's JSON, in a line as in an array: what can be said takes far less, and the
  /// careful decoder makes up to a hundred times as many bytes of it.
  package static let eventBytes = 64 << 10
  /// Bytes of the sentence about a rejection: it may quote keys of any length.
  package static let detailBytes = 200
  /// What an event costs that takes the careful way, beside its bytes, in bytes: measured, it takes
  /// as long as so many of its bytes.
  package static let carefulEventCost = 128
  /// Events of one request body. The shortest takes 49 bytes, so no body of 16 MiB holds more of
  /// them; but it could hold millions of elements or lines that aren't events, each of them
  /// remembered.
  package static let eventsPerBody = 350_000
}
