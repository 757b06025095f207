/// Where a reading, or a part of one, is booked.
struct PartPlace {
  /// Number of the subject, -1 while the reading waits.
  var subject: Int32 = -1
  /// Number of the reading in its event.
  var number: Int32 = 0
  /// Where the fact stands, and where the event first stood.
  var location: Location
  var origin: Location
  /// Whether the event was counted before and only goes elsewhere.
  var isMove = false

  init(location: Location, origin: Location) {
    self.location = location
    self.origin = origin
  }
}

/// A frame's booking while the frame is applied: gathers readings of one quarter-hour, so that a
/// flood costs one look-up per booking and frame. It holds no references, since a copy is made for
/// each reading: counting those of its ``TotalKey``, which lies beside it, took a seventh of the
/// writer's time.
struct AppliedBooking {
  let series: Int32
  let epoch: Int64
  let isLevel: Bool
  let label: Int32
  let sum: Int32
  /// Everything gathered from this frame.
  private(set) var all = Sums()
  private var gathered = Sums()
  private var slot: Int64 = .min

  init(series: Int32, epoch: Int64, isLevel: Bool, label: Int32, sum: Int32) {
    self.series = series
    self.epoch = epoch
    self.isLevel = isLevel
    self.label = label
    self.sum = sum
  }

  @inline(__always)
  mutating func gather(_ sums: Sums, _ put: (QuarterHourKey, Sums) -> Void) {
    let slot = Limits.quarterHour(of: sums.first)
    if slot != self.slot {
      flush(put)
      self.slot = slot
    }
    gathered.add(sums)
    all.add(sums)
  }

  mutating func flush(_ put: (QuarterHourKey, Sums) -> Void) {
    if gathered.count > 0 {
      put(QuarterHourKey(slot: slot, label: label, sum: sum), gathered)
    }
    gathered = Sums()
  }
}

extension Limits {
  /// Start of the quarter-hour that holds an instant, also before 1970.
  @inline(__always)
  package static func quarterHour(of microseconds: Int64) -> Int64 {
    let rest = microseconds % quarterHourMicroseconds
    return microseconds - (rest < 0 ? rest + quarterHourMicroseconds : rest)
  }
}

extension Totals {
  /// Takes sums from one label to another, in the standing figures only.
  mutating func move(from: TotalKey, to: TotalKey, own: UInt32, _ sums: Sums, parts: Int128) {
    let from = from.costing(own)
    let to = to.costing(own)
    guard parts == 1 else {
      book(from, rest: 0 &- sums.amount, of: parts, isGross: false)
      return book(to, rest: sums.amount, of: parts, isGross: false)
    }
    byKey[from, default: Total()].standing &-= sums.quantity
    byKey[from, default: Total()].standingAmount &-= sums.amount
    byKey[to, default: Total()].standing &+= sums.quantity
    byKey[to, default: Total()].standingAmount &+= sums.amount
  }
}
