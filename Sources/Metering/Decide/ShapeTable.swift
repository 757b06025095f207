/// What a (meter, unit, attributes) combination means under the configuration in force.
struct ResolvedShape {
  var rejection: RejectionCode?
  /// Number of the meter in the decider's list.
  var meter = 0
  var isLevel = false
  var series = Series(meter: "", attributes: [])
  var canonical: [UInt8] = []
  /// Exact factor into the base unit as numerator and denominator; 1/1 without a unit.
  var numerator: Int128 = 1
  var denominator: Int128 = 1
  /// Whether attributes were sent that the meter doesn't declare.
  var hasExtra = false
  /// `price|per|currency` by epoch number, filled when first used.
  var rates: [ByteString?] = []
}

/// What the decider needs of one configured meter.
struct ResolvedMeter {
  var meter: Meter
  /// Starts of the price epochs but the first, microseconds, ascending.
  var boundaries: [Int64]
  var isPriced: Bool
  /// Σ |quantity| booked so far, raw 10^-9.
  var booked: Int128

  /// Number of the epoch that holds an instant: 0 before the first boundary.
  @inline(__always)
  func epoch(at time: Int64) -> Int {
    var number = boundaries.count
    while number > 0 && boundaries[number - 1] > time { number -= 1 }
    return number
  }

  func start(ofEpoch number: Int) -> Int64 { number == 0 ? .min : boundaries[number - 1] }
}

/// Resolved shapes by their hash; bounded, begun anew when full.
struct ShapeTable {
  private(set) var shapes: ContiguousArray<ResolvedShape> = []
  private var numbers = NumberTable<Hash128>()
  private var meterNumbers: [ByteString: Int] = [:]
  var meters: [ResolvedMeter] = []

  init(configuration: Configuration, totals: Totals) {
    for (name, meter) in configuration.meters.sorted(by: { $0.key < $1.key }) {
      meterNumbers[name] = meters.count
      meters.append(
        ResolvedMeter(
          meter: meter,
          boundaries: configuration.boundaries(meter: name).map(\.microseconds),
          isPriced: configuration.hasRates(meter: name), booked: totals.guards[name] ?? 0))
    }
  }

  var isFull: Bool { shapes.count >= Limits.shapes }

  func meter(named name: ByteString) -> ResolvedMeter? {
    meterNumbers[name].map { meters[$0] }
  }

  /// Forgets the shapes; only between frames, since frames hold their numbers.
  mutating func removeShapes() {
    shapes.removeAll(keepingCapacity: true)
    numbers.removeAll()
  }

  func number(of shape: Hash128) -> Int? { numbers[shape] }

  mutating func setRate(_ rate: ByteString, shape: Int, epoch: Int) {
    shapes[shape].rates[epoch] = rate
  }

  /// Resolves a reading's meter, unit and attributes; remembers the result.
  mutating func resolve(_ reading: DecodedReading, in batch: IngestBatch) -> Int {
    let shape = resolved(reading, in: batch)
    shapes.append(shape)
    numbers[reading.shape] = shapes.count - 1
    return shapes.count - 1
  }

  private func resolved(_ reading: DecodedReading, in batch: IngestBatch) -> ResolvedShape {
    var shape = ResolvedShape()
    guard let number = meterNumbers[batch.bytes(reading.meter)] else {
      shape.rejection = .unknownMeter
      return shape
    }
    let meter = meters[number].meter
    shape.meter = number
    shape.isLevel = meter.kind == .level
    if reading.hasUnit && batch.bytes(reading.unit) != meter.unit {
      guard let factor = meter.units[batch.bytes(reading.unit)],
        let numerator = factor.numerator.int128, let denominator = factor.denominator.int128
      else {
        shape.rejection = .unknownUnit
        return shape
      }
      shape.numerator = numerator
      shape.denominator = denominator
    }
    let sent = CanonicalAttributes.read(batch.bytes(reading.attributes))
    let declared = sent.filter { meter.attributes.contains($0.key) }
    shape.hasExtra = declared.count != sent.count
    shape.series = Series(meter: meter.name, attributes: declared)
    shape.canonical = shape.series.canonical
    shape.rates = Array(repeating: nil, count: meters[number].boundaries.count + 1)
    return shape
  }
}

/// The decoder's canonical attribute list.
enum CanonicalAttributes {
  /// Keys and values as text, in the sorted order of the list.
  static func read(_ bytes: ByteString) -> [SeriesAttribute] {
    let all = bytes.bytes
    guard all.count >= 2 else { return [] }
    var offset = 2
    func half() -> Int {
      defer { offset += 2 }
      return Int(all[offset]) | Int(all[offset + 1]) << 8
    }
    func text() -> ByteString {
      let count = half()
      defer { offset += count }
      return ByteString(all[offset..<offset + count])
    }
    return (0..<(Int(all[0]) | Int(all[1]) << 8)).map { _ in
      offset += 1
      let key = text()
      return SeriesAttribute(key: key, value: text())
    }
  }
}

extension Limits {
  /// Resolved shapes kept: a few hundred are usual; more means an attribute with many values.
  static let shapes = 8_192
}
