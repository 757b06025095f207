/// What is left of a purchase's allowances after a part of its price went back, and what was used
/// beyond that since.
///
/// Usage counts against it in order of time. A meter without allowance is served along with those
/// that have one: in an event that goes beyond, it leaks by the part of the event's driver (its
/// first reading with an allowance) that does, whatever the order of its readings; of events after
/// one all leaks, and of a purchase without any allowance everything since the revocation.
struct KeptAllowance {
  private let account: PurchaseAccount
  private let revoked: Instant
  private let bounds: [ByteString: Fraction]
  /// Single readings that stand, in order of time, by event.
  private var events: [Event] = []
  /// Where allowances of levels are used up.
  private var levelEnds: [ByteString: Moment] = [:]
  /// Where the first allowance of a sum is used up.
  private var sumEnd: Moment?
  private(set) var leaked: [BookedAmount] = []

  private struct Event {
    var time: Instant
    var id: Hash128
    var amounts: [BookedAmount]

    /// Adds a reading, or to the one before what splitting its own cost left.
    mutating func add(_ amount: BookedAmount, isRest: Bool) {
      if isRest {
        amounts[amounts.count - 1].amount = amounts[amounts.count - 1].amount + amount.amount
      } else {
        amounts.append(amount)
      }
    }
  }

  /// An instant, and the part of the microsecond after it that has passed: levels reach an
  /// allowance's end between two instants.
  private struct Moment: Comparable {
    var time: Instant
    var part: Fraction = .zero

    static func < (left: Moment, right: Moment) -> Bool {
      left.time == right.time ? left.part < right.part : left.time < right.time
    }
  }

  /// Reckons with the share of the allowances that was kept. Readings are in order of time.
  init(
    _ account: PurchaseAccount, revoked: Instant, kept share: Fraction, _ trail: [TrailReading]
  ) {
    self.account = account
    self.revoked = revoked
    var bounds: [ByteString: Fraction] = [:]
    for usage in account.usage {
      if let allowed = usage.allowed { bounds[usage.meter] = allowed * share }
    }
    self.bounds = bounds
    for reading in trail {
      let amount = BookedAmount(reading, configuration: account.configuration)
      if let last = events.last, last.id == reading.event, last.time == reading.time {
        events[events.count - 1].add(amount, isRest: reading.line.parts != 1)
      } else {
        events.append(Event(time: reading.time, id: reading.event, amounts: [amount]))
      }
    }
    for meter in Set(levels(from: .distantPast, to: .distantFuture).map(\.meter)) {
      if let bound = bounds[meter] { levelEnds[meter] = end(of: bound, meter) }
    }
    takeReadings()
    takeLevels()
  }

  // MARK: Single readings

  private mutating func takeReadings() {
    var used: [ByteString: Fraction] = [:]
    for event in events {
      let isUsedUp = isUsedUp(at: event.time)
      // The part of the event's driver that lies beyond; nil until one was seen.
      var driven: Fraction?
      var parts: [BookedAmount] = []
      for booked in event.amounts {
        guard let bound = bounds[booked.meter] else { continue }
        let level =
          levelEnds[booked.meter] == nil
          ? .zero : quantity(of: booked.meter, from: .distantPast, to: event.time)
        let before = (used[booked.meter] ?? .zero) + level
        used[booked.meter] = (used[booked.meter] ?? .zero) + booked.quantity
        if sumEnd == nil, before + booked.quantity >= bound { sumEnd = Moment(time: event.time) }
        let over = min(booked.quantity, max(.zero, before + booked.quantity - bound))
        let isNothing = booked.quantity.isZero
        let share = isNothing ? (isUsedUp ? .one : .zero) : over / booked.quantity
        driven = driven ?? share
        parts.append(booked.part(share))
      }
      guard event.time >= revoked else { continue }
      let share = isUsedUp ? .one : driven ?? .zero
      leaked += parts + event.amounts.filter { bounds[$0.meter] == nil }.map { $0.part(share) }
    }
  }

  /// Whether a meter without allowance leaks now. An allowance of nothing is used up from the
  /// beginning.
  private func isUsedUp(at time: Instant) -> Bool {
    if bounds.isEmpty || bounds.values.contains(where: { $0 <= .zero }) || sumEnd != nil {
      return true
    }
    return levelEnds.values.contains { $0 <= Moment(time: time) }
  }

  // MARK: Levels

  private mutating func takeLevels() {
    let isWithoutBound = bounds.isEmpty || bounds.values.contains { $0 <= .zero }
    let start = Moment(time: revoked)
    let first =
      isWithoutBound ? start : (Array(levelEnds.values) + [sumEnd].compactMap { $0 }).min()
    for meter in Set(levels(from: revoked, to: .distantFuture).map(\.meter)) {
      guard let end = bounds[meter] == nil ? first : levelEnds[meter] else { continue }
      leaked += levels(of: meter, since: max(end, start))
    }
  }

  private func levels(of meter: ByteString, since moment: Moment) -> [BookedAmount] {
    guard !moment.part.isZero else {
      return levels(from: moment.time, to: .distantFuture).filter { $0.meter == meter }
    }
    let next = moment.time.adding(microseconds: 1)
    let rest = levels(from: moment.time, to: next).map { amount in
      var amount = amount
      amount.quantity = amount.quantity * (.one - moment.part)
      return amount
    }
    return (rest + levels(from: next, to: .distantFuture)).filter { $0.meter == meter }
  }

  private func levels(from: Instant, to: Instant) -> [BookedAmount] {
    account.levelAmounts(from: from, to: to)
  }

  private func quantity(of meter: ByteString, from: Instant, to: Instant) -> Fraction {
    levels(from: from, to: to).reduce(.zero) { $1.meter == meter ? $0 + $1.quantity : $0 }
  }

  /// Where a level's allowance is used up, found by halving; nil when something is left now.
  private func end(of bound: Fraction, _ meter: ByteString) -> Moment? {
    // A balance's, which are few.
    let own = events.flatMap { event in
      event.amounts.filter { $0.meter == meter }.map { (time: event.time, quantity: $0.quantity) }
    }
    func used(_ time: Instant) -> Fraction {
      let booked = own.reduce(Fraction.zero) { $1.time <= time ? $0 + $1.quantity : $0 }
      return booked + quantity(of: meter, from: .distantPast, to: time)
    }
    guard used(account.now) >= bound else { return nil }
    var low = min(account.period?.start ?? account.now, events.first?.time ?? account.now)
    var high = account.now
    guard used(low) < bound else { return Moment(time: low) }
    while high.microseconds - low.microseconds > 1 {
      let middle = Instant(microseconds: low.microseconds / 2 + high.microseconds / 2)
      let isBetween = low < middle && middle < high
      let probe = isBetween ? middle : low.adding(microseconds: 1)
      if used(probe) >= bound { high = probe } else { low = probe }
    }
    let left = bound - used(low)
    let gain = quantity(of: meter, from: low, to: high)
    return gain > left ? Moment(time: low, part: left / gain) : Moment(time: high)
  }
}
