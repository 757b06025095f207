/// What the batch's readings looked like lately, by the text they came in. A sender repeats a few
/// combinations of meter, unit and attributes, and those need neither be parsed, sorted, written
/// down nor hashed again.
///
/// Entries hold spans of the batch's text, so they end with it: see ``forget()``.
struct ShapeMemo {
  private struct Entry {
    /// The memo's, while the entry holds.
    var generation: UInt32 = 0
    var hasUnit = false
    var meter = TextSpan()
    var unit = TextSpan()
    var text = TextSpan()
    var shape = Hash128(high: 0, low: 0)
    var canonical = TextSpan()
    var attributes = TextSpan()
  }

  private let entries: UnsafeMutablePointer<Entry>
  private var generation: UInt32 = 1

  /// Of 64 entries, each where its hash says: a batch has a few shapes, and one that finds its
  /// entry taken is only parsed once more.
  private static let indexBits: UInt64 = 6

  init() {
    entries = .allocate(capacity: 1 << Self.indexBits)
    entries.initialize(repeating: Entry(), count: 1 << Self.indexBits)
  }

  func deallocate() { entries.deallocate() }

  /// Ends all entries, because the text they point into goes.
  mutating func forget() {
    generation &+= 1
    if generation == 0 {
      entries.update(repeating: Entry(), count: 1 << Self.indexBits)
      generation = 1
    }
  }

  /// Sets what follows from a draft's meter, unit and attributes as another reading had them;
  /// false if none is remembered.
  @inline(__always)
  func recall(_ draft: ReadingDraft, _ reading: inout DecodedReading, of base: UnsafeRawPointer)
    -> Bool
  {
    let entry = entries + Self.index(draft, of: base)
    guard entry.pointee.generation == generation,
      entry.pointee.hasUnit == draft.hasUnit,
      Self.same(entry.pointee.text, draft.attributesText, of: base),
      Self.same(entry.pointee.meter, draft.meter, of: base),
      Self.same(entry.pointee.unit, draft.unit, of: base)
    else { return false }
    reading.shape = entry.pointee.shape
    reading.canonical = entry.pointee.canonical
    reading.attributes = entry.pointee.attributes
    return true
  }

  /// Remembers what a draft came to.
  func remember(_ draft: ReadingDraft, _ reading: DecodedReading, of base: UnsafeRawPointer) {
    entries[Self.index(draft, of: base)] = Entry(
      generation: generation, hasUnit: draft.hasUnit, meter: draft.meter, unit: draft.unit,
      text: draft.attributesText, shape: reading.shape, canonical: reading.canonical,
      attributes: reading.attributes)
  }

  /// Where the entry is: the hash of the attributes' text, with the beginnings of meter and unit.
  @inline(__always)
  private static func index(_ draft: ReadingDraft, of base: UnsafeRawPointer) -> Int {
    var hash = draft.attributesHash
    hash = mixed(hash, beginning(draft.meter, of: base))
    if draft.hasUnit { hash = mixed(hash, beginning(draft.unit, of: base)) }
    return Int(truncatingIfNeeded: hash &>> (64 &- indexBits))
  }

  /// One step of the hash; its upper bits depend on everything.
  @inline(__always) static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
  }

  /// Up to 8 bytes of the span. Reads up to 8 bytes too far.
  @inline(__always)
  private static func beginning(_ span: TextSpan, of base: UnsafeRawPointer) -> UInt64 {
    let word = (base + Int(span.offset)).word
    return span.length >= 8 ? word : word & ~(~0 &<< (UInt64(span.length) &* 8))
  }

  /// Whether the bytes are the same. Reads up to 7 bytes too far.
  @inline(__always)
  private static func same(
    _ left: TextSpan, _ right: TextSpan, of base: UnsafeRawPointer
  ) -> Bool {
    guard left.length == right.length else { return false }
    var one = base + Int(left.offset)
    var other = base + Int(right.offset)
    var rest = UInt64(left.length)
    while rest >= 8 {
      guard one.word == other.word else { return false }
      one += 8
      other += 8
      rest &-= 8
    }
    return rest == 0 || (one.word ^ other.word) &<< (64 &- rest &* 8) == 0
  }
}
