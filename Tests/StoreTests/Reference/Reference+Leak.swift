/// Usage after a revocation.
extension Reference {
  /// What leaks of a purchase up to `now`.
  func leak(of purchase: ReferencePurchase, now: Int64) -> [Priced] {
    guard purchase.revokedAt <= now else { return [] }
    let isPart = purchase.refunded > .zero && purchase.refunded < .one
    if isPart, !purchase.isAutoRenewable { return beyondKept(purchase, now: now) }
    return sums(of: purchase.id).filter { $0.time >= purchase.revokedAt }
      + integrals(of: purchase.id, from: purchase.revokedAt, now: now)
  }

  /// Usage within grace, which nobody has paid for: more than the contract asks for, marked as an
  /// addition. Nothing of a revoked purchase, whose usage leaks.
  func unpaid(of purchase: ReferencePurchase, now: Int64) -> [Priced] {
    guard let end = periodEnd(purchase), let lapse = lapse(purchase), end < lapse,
      purchase.revokedAt > now
    else { return [] }
    return sums(of: purchase.id).filter { end <= $0.time && $0.time < lapse }
      + integrals(of: purchase.id, from: end, now: min(now, lapse))
  }

  /// The part of the usage since the revocation that goes beyond allowance × (1 − q).
  ///
  /// Reading: usage counts against the kept allowance by time, at one instant by order of arrival
  /// and place in the event. A meter without allowance leaks by the part of its event's driver that
  /// lies beyond, all of it in events after one in which any allowance was used up; without any
  /// allowance from the revocation on.
  private func beyondKept(_ purchase: ReferencePurchase, now: Int64) -> [Priced] {
    let kept = allowance(of: purchase, id: purchase.id).mapValues {
      $0 * (.one - purchase.refunded)
    }
    var walk = KeptWalk(kept: kept, revoked: purchase.revokedAt)
    let points = sums(of: purchase.id).sorted { ($0.time, $0.order) < ($1.time, $1.order) }
    let whole = integrals(of: purchase.id, now: now)
    let bounds = whole.flatMap { [$0.time, $0.until ?? $0.time] }
    let cuts = Set(points.map(\.time) + bounds + [purchase.revokedAt])
    let pieces = integrals(of: purchase.id, cutAt: cuts, now: now)
    for start in cuts.sorted() {
      let now = points.filter { $0.time == start }
      for event in Set(now.map(\.event)).sorted() {
        walk.take(now.filter { $0.event == event })
      }
      walk.take(pieces: pieces.filter { $0.time == start })
    }
    return walk.leaked
  }
}

/// Goes through a purchase's usage in order of time.
private struct KeptWalk {
  var kept: [String: Exact]
  var revoked: Int64
  var used: [String: Exact] = [:]
  var leaked: [Priced] = []

  private var isUsedUp: Bool {
    kept.isEmpty || kept.contains { used[$0.key] ?? .zero >= $0.value }
  }

  /// What a purchase took of one event.
  mutating func take(_ event: [Priced]) {
    let wasUsedUp = isUsedUp
    let driver = event.first { kept[$0.meter] != nil }
    let atDriver = driver.flatMap { used[$0.meter] } ?? .zero
    for point in event {
      let before = used[point.meter] ?? .zero
      used[point.meter] = before + point.quantity
      let part: Exact
      if kept[point.meter] != nil {
        part = beyond(point, before: before, wasUsedUp)
      } else {
        part =
          wasUsedUp ? .one : driver.map { beyond($0, before: atDriver, wasUsedUp) } ?? .zero
      }
      guard point.time >= revoked else { continue }
      var leaking = point
      leaking.quantity = point.quantity * part
      if let own = point.own { leaking.own = (own.amount * part, own.currency) }
      leaked.append(leaking)
    }
  }

  /// The part of a reading that lies beyond the kept allowance; of one of nothing all or none.
  private func beyond(_ point: Priced, before: Exact, _ wasUsedUp: Bool) -> Exact {
    if point.quantity == .zero { return wasUsedUp ? .one : .zero }
    let over = before + point.quantity - (kept[point.meter] ?? .zero)
    return max(.zero, min(over, point.quantity)) / point.quantity
  }

  /// Levels that accrue from one instant to the next.
  mutating func take(pieces: [Priced]) {
    var sums: [String: Exact] = [:]
    for piece in pieces { sums[piece.meter, default: .zero] += piece.quantity }
    // The part of the stretch after which a kept allowance is used up, 1 for never.
    var within: [String: Exact] = [:]
    for (meter, bound) in kept {
      let left = max(.zero, bound - (used[meter] ?? .zero))
      let sum = sums[meter] ?? .zero
      within[meter] = sum > .zero ? min(.one, left / sum) : (left == .zero ? .zero : .one)
    }
    let first = kept.isEmpty ? .zero : within.values.min() ?? .one
    for (meter, sum) in sums { used[meter, default: .zero] += sum }
    for piece in pieces where piece.time >= revoked {
      var beyond = piece
      beyond.quantity = piece.quantity * (.one - (within[piece.meter] ?? first))
      if beyond.quantity > .zero { leaked.append(beyond) }
    }
  }
}
