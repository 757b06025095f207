/// A customer's purchases, in the order in which they are used up.
struct CustomerView {
  struct Candidate {
    var period: ChainPeriod
    var label: Int32

    var id: ByteString { period.transactionId }
    var isRevoked: Bool { period.purchase.revocationDate != nil }

    /// What one interval entitles to, raw 10^-9 base units, and the interval's number at an
    /// instant; nil without an allowance of the meter.
    func allowance(of meter: ByteString, at time: Int64) -> (quantity: Int128, interval: Int)? {
      if let own = period.record.allowances[meter] { return (own.raw, 0) }
      guard let terms = period.terms, let one = terms.allowance[meter] else { return nil }
      let units = one * Fraction(Int128(period.purchase.quantity ?? 1), scale: 0)
      let quantity = units.floored(times: Quantity.scale) ?? .max
      return (quantity, interval(at: time, of: meter))
    }

    /// Number of the allowance's interval at an instant; 0 where it isn't by interval. What is used
    /// after the last interval that counts, in days that Apple gave on top for one, is of that one:
    /// the share knows no other.
    func interval(at time: Int64, of meter: ByteString) -> Int {
      guard period.record.allowances[meter] == nil, let every = period.terms?.every,
        let start = period.start
      else { return 0 }
      let next = Instant(microseconds: time + 1)
      let begun = max(ChainPeriod.steps(of: every, from: start, to: next), 1)
      let counted = period.periodEnd.map {
        ChainPeriod.intervals(of: every, from: start, to: $0)
      }
      return min(begun, counted ?? begun) - 1
    }

    var isByInterval: Bool { period.terms?.every != nil }
  }

  private(set) var candidates: [Candidate]

  /// Sorts purchases by product priority, end, and date of purchase.
  init(_ candidates: [Candidate]) {
    self.candidates = candidates.sorted { left, right in
      let first = (left.period.terms?.priority ?? 0, left.period.end, left.period.start)
      let second = (right.period.terms?.priority ?? 0, right.period.end, right.period.start)
      if first.0 != second.0 { return first.0 < second.0 }
      if first.1 != second.1 { return first.1 < second.1 }
      if first.2 != second.2 {
        return first.2 ?? .distantFuture < second.2 ?? .distantFuture
      }
      return left.id < right.id
    }
  }

  /// The purchases in force at an instant.
  func inForce(at time: Int64) -> [Candidate] {
    candidates.filter { $0.period.isInForce(at: Instant(microseconds: time)) }
  }

  /// The purchase that a level of a meter accrues to at an instant: the first in force that has an
  /// allowance of it, else the first in force, else one that it leaks from.
  func holder(of meter: ByteString, at time: Int64) -> Candidate? {
    let inForce = inForce(at: time)
    return inForce.first { $0.allowance(of: meter, at: time) != nil } ?? inForce.first
      ?? leaking(at: time)
  }

  /// The purchase that would be in force at an instant, had it not been revoked.
  func leaking(at time: Int64) -> Candidate? {
    candidates.first { $0.period.leaks(at: Instant(microseconds: time)) }
  }
}

/// How much of each meter a purchase has used, as far as that decides where an allowance ends.
struct PurchaseUse {
  struct Key: Hashable {
    var meter: ByteString
    var interval: Int
  }

  private var sums: [Key: Int128] = [:]

  func quantity(_ meter: ByteString, interval: Int) -> Int128 {
    sums[Key(meter: meter, interval: interval)] ?? 0
  }

  mutating func add(_ quantity: Int128, _ meter: ByteString, interval: Int) {
    sums[Key(meter: meter, interval: interval), default: 0] += quantity
  }
}
