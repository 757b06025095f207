/// Looks at frames before they are applied that this process didn't decide.
///
/// Their sums fit, but a store may be another program's or made by hand, and what is applied can't
/// be refused any more. The writer needs none of this: what was just decided is right.
package struct FrameCheck {
  /// What tells whether amounts can be right; nil where the frames were applied once.
  private var amounts: Amounts?
  /// Addresses of the commit's frames so far, which facts refer to by distance.
  private var addresses: [UInt64] = []

  /// Goes on from the totals that were kept; without, amounts are believed.
  package init(after totals: Totals?) { amounts = totals.map { Amounts($0) } }

  /// Throws ``DamagedFrame`` for a frame that can't be applied.
  package mutating func check(
    _ frame: DurableFrame, isLastOfCommit: Bool
  ) throws(DamagedFrame) {
    var fault: StaticString?
    try FrameWalk.walk(
      frame.body, address: frame.address, receivedAt: frame.receivedAt, earlier: addresses
    ) { _, fact in
      fault = Self.fault(of: fact) ?? amounts?.take(fact)
      return fault == nil
    }
    if let fault { throw DamagedFrame(fault) }
    if isLastOfCommit {
      addresses.removeAll(keepingCapacity: true)
    } else {
      addresses.append(frame.address)
    }
  }

  private static func fault(of fact: FrameWalk.Fact) -> StaticString? {
    switch fact {
    case .usage(let event): return fault(of: event)
    case .void(let event):
      return event.origin == nil ? "it takes back what isn't in its commit" : fault(of: event)
    case .rebook(let from, let to):
      if let fault = fault(of: from) ?? fault(of: to) { return fault }
      return quantities(of: from) == quantities(of: to)
        ? nil : "it moves more or less than there was"
    case .quarantine: return nil
    }
  }

  private static func fault(of event: BookedEvent) -> StaticString? {
    guard Limits.storedTimes.contains(event.time) else { return "it tells of no time" }
    for reading in event.readings {
      if reading.isLevel {
        if reading.booked.isEmpty { return "it has a level of nothing" }
        if reading.parts != 1 { return "it has a level in parts" }
      } else if reading.quantity < 0 {
        return "it has a negative quantity"
      } else if reading.parts != 1 {
        let isRest = (1..<reading.parts).contains(reading.amount)
        guard isRest && reading.quantity == 0 && reading.own != 0 else {
          return "it has no rest of a cost"
        }
      }
    }
    return nil
  }

  /// Quantities by the reading's number.
  private static func quantities(of event: BookedEvent) -> [Int: Int128] {
    event.readings.reduce(into: [:]) { $0[$1.number] = ($0[$1.number] ?? 0) &+ $1.quantity }
  }
}

/// What was used and taken back so far: the guard that kept sums from overflowing when it was
/// decided.
private struct Amounts {
  private var used: [ByteString: Int128]
  private var takenBack: [ByteString: Int128] = [:]
  private var costs: [UInt32: Int128]

  init(_ totals: Totals) {
    used = totals.guards
    costs = totals.amountGuards
    for (key, total) in totals.byKey {
      takenBack[key.meter] = (takenBack[key.meter] ?? 0) &+ total.voided
    }
  }

  mutating func take(_ fact: FrameWalk.Fact) -> StaticString? {
    switch fact {
    case .usage(let event): add(event)
    case .void(let event): takeBack(event)
    case .rebook, .quarantine: nil
    }
  }

  private mutating func add(_ event: BookedEvent) -> StaticString? {
    for reading in event.readings where !reading.isLevel && reading.parts == 1 {
      let meter = reading.series.meter
      let (sum, isOver) = (used[meter] ?? 0).addingReportingOverflow(reading.quantity)
      if isOver { return "it uses more of a meter than fits" }
      used[meter] = sum
      guard reading.own != 0 else { continue }
      let (cost, isDearer) = (costs[reading.own] ?? 0).addingReportingOverflow(reading.amount)
      if isDearer { return "it costs more than fits" }
      costs[reading.own] = cost
    }
    return nil
  }

  private mutating func takeBack(_ event: BookedEvent) -> StaticString? {
    for reading in event.readings where !reading.isLevel {
      let meter = reading.series.meter
      let (sum, isOver) = (takenBack[meter] ?? 0).addingReportingOverflow(reading.quantity)
      guard !isOver, sum <= used[meter] ?? 0 else { return "it takes back more than was used" }
      takenBack[meter] = sum
    }
    return nil
  }
}

extension Limits {
  /// Times that facts may tell, microseconds: what is added to them never overflows.
  static let storedTimes: ClosedRange<Int64> = -(1 << 61)...(1 << 61)
}
