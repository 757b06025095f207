/// A reading, or a part of one, with where it goes.
struct PartFact {
  /// Empty while no purchase takes it.
  var booked: UnsafeRawBufferPointer
  /// Number of the reading in its event.
  var number: Int
  var reading: ReadingFact

  /// Longest encoding beside the id and the extra attributes, bytes.
  static let partBytes = ReadingFact.readingBytes + 20

  init(booked: UnsafeRawBufferPointer, number: Int, reading: ReadingFact) {
    self.booked = booked
    self.number = number
    self.reading = reading
  }

  init(reading reader: inout FactReader, hasExtra: Bool) {
    booked = reader.span()
    number = reader.number()
    reading = ReadingFact(reading: &reader, hasExtra: hasExtra)
  }

  func write(to writer: inout FactWriter, hasExtra: Bool) {
    writer.span(booked)
    writer.varint(UInt64(number))
    reading.write(to: &writer, hasExtra: hasExtra)
  }
}

/// How a fact names the fact that it changes: by address, or, while both are of one commit and have
/// none yet, by how many frames lie between them.
enum LocationReference {
  case absolute(Location)
  /// Frames back from the one that refers, and the number there.
  case relative(framesBack: Int, number: Int)

  static let bytes = 20

  init(reading reader: inout FactReader) {
    let head = reader.number()
    self =
      head == 0
      ? .absolute(Location(raw: reader.word()))
      : .relative(framesBack: head - 1, number: reader.number())
  }

  func write(to writer: inout FactWriter) {
    switch self {
    case .absolute(let location):
      writer.varint(0)
      writer.word(location.raw)
    case .relative(let framesBack, let number):
      writer.varint(UInt64(framesBack + 1))
      writer.varint(UInt64(number))
    }
  }
}
