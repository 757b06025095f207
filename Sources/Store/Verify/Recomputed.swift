import Metering

/// What the journal makes of a slice of purchases: an account of its own, that shares nothing with
/// how the books are kept.
struct Recomputed {
  struct Purchase {
    var sums: [UsageKey: Sums] = [:]
    var trail = TrailDigest()
  }

  struct PointPlace: Hashable {
    var subject: ByteString
    var series: Series
    var key: PointKey
  }

  struct WaitingPlace: Hashable {
    var subject: WaitingSubject
    var key: WaitingKey
  }

  let hashKey: HashKey
  /// The slice: hashes that leave this rest.
  let slice: UInt64
  let slices: UInt64
  private(set) var purchases: [Hash128: Purchase] = [:]
  private(set) var points: [PointPlace: Int128] = [:]
  private(set) var waiting: [WaitingPlace: Int128] = [:]
  /// Everything that was booked or waits, whosever it is.
  private(set) var totals: [UsageKey: Sums] = [:]

  func holds(_ hash: Hash128) -> Bool { hash.high % slices == slice }

  /// Takes one fact in.
  mutating func take(_ fact: FrameWalk.Fact, at location: Location) {
    var isMove = false
    if case .rebook = fact { isMove = true }
    var visited: Set<Hash128> = []
    fact.forEachChange { event, sign in
      for reading in event.readings {
        if reading.isLevel {
          if !isMove { take(level: reading, of: event, sign: sign) }
        } else {
          take(reading, of: event, at: location, sign: sign, &visited)
        }
      }
    }
  }

  private mutating func take(
    _ reading: BookedReading, of event: BookedEvent, at location: Location, sign: Int128,
    _ visited: inout Set<Hash128>
  ) {
    let key = UsageKey(
      series: reading.series, epoch: reading.epoch, own: reading.own,
      parts: reading.parts)
    let sums = reading.sums(at: event.time, sign: sign)
    guard !reading.booked.isEmpty else {
      return wait(reading, of: event, key, sums, sign: sign)
    }
    let hash = hashKey.hash128(reading.booked)
    guard holds(hash) else { return }
    totals[key, default: Sums()].add(sums)
    purchases[hash, default: Purchase()].sums[key, default: Sums()].add(sums)
    if visited.insert(hash).inserted { purchases[hash]?.trail.add(location.raw) }
  }

  private mutating func wait(
    _ reading: BookedReading, of event: BookedEvent, _ key: UsageKey, _ sums: Sums, sign: Int128
  ) {
    guard holds(hashKey.hash128(event.subject)) else { return }
    totals[key, default: Sums()].add(sums)
    guard let origin = event.origin else { return }
    let place = WaitingPlace(
      subject: WaitingSubject(kind: event.subjectKind, subject: event.subject),
      key: WaitingKey(time: event.time, location: origin.raw, number: Int32(reading.number)))
    waiting[place] = sign > 0 ? reading.quantity : nil
  }

  private mutating func take(level reading: BookedReading, of event: BookedEvent, sign: Int128) {
    guard holds(hashKey.hash128(reading.booked)), let origin = event.origin else { return }
    let place = PointPlace(
      subject: reading.booked, series: reading.series,
      key: PointKey(time: event.time, tie: origin.raw))
    points[place] = sign > 0 ? reading.quantity : nil
  }
}

/// Tells whether two trails are the same, location for location.
struct TrailDigest: Equatable {
  private(set) var count = 0
  private var digest: UInt64 = 0

  mutating func add(_ location: UInt64) {
    count += 1
    digest = (digest ^ location) &* 0x9FB2_1C65_1E98_DF25
    digest ^= digest >> 29
  }
}
