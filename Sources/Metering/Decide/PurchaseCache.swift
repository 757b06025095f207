/// What every event needs to know about its purchase, without a look-up.
struct CachedPurchase {
  /// Number of the label in the decider's list.
  var label: Int32
  var isKnown: Bool
  var isRevoked: Bool
  /// Whether there is an opening balance: the record tells until when.
  var hasOpening: Bool
}

/// A bounded cache from a transaction's hash to ``CachedPurchase``: sets of eight, the oldest of a
/// set gives way. 2^21 entries of 12 bytes are 24 MiB, touched as they fill.
struct PurchaseCache: ~Copyable {
  private static let ways = 8
  private let setMask: Int
  private let tags: UnsafeMutablePointer<UInt64>
  private let values: UnsafeMutablePointer<UInt32>
  private var victim = 0

  init(entries: Int = Limits.purchaseCacheEntries, _ advice: MemoryAdvice = { _ in }) {
    precondition(entries >= 64 && entries.nonzeroBitCount == 1)
    setMask = entries / Self.ways - 1
    // A set's tags share one line of the processor's cache.
    tags = .allocate(large: entries, advice)
    tags.initialize(repeating: 0, count: entries)
    values = .allocate(large: entries, advice)
    values.initialize(repeating: 0, count: entries)
  }

  deinit {
    tags.deallocate()
    values.deallocate()
  }

  /// Forgets all purchases.
  mutating func removeAll() {
    tags.update(repeating: 0, count: (setMask + 1) * Self.ways)
  }

  private func tag(_ hash: Hash128) -> UInt64 { hash.high | 1 }

  /// Brings the place of a transaction nearer (see ``LookAhead``).
  @inline(__always)
  func glance(_ hash: Hash128) -> UInt64 {
    let base = (Int(truncatingIfNeeded: hash.low) & setMask) * Self.ways
    return tags[base] ^ UInt64(values[base])
  }

  func find(_ hash: Hash128) -> CachedPurchase? {
    let base = (Int(truncatingIfNeeded: hash.low) & setMask) * Self.ways
    let wanted = tag(hash)
    for way in base..<base + Self.ways where tags[way] == wanted {
      let value = values[way]
      return CachedPurchase(
        label: Int32(value >> 3), isKnown: value & 1 != 0, isRevoked: value & 2 != 0,
        hasOpening: value & 4 != 0)
    }
    return nil
  }

  mutating func put(_ hash: Hash128, _ purchase: CachedPurchase) {
    let base = (Int(truncatingIfNeeded: hash.low) & setMask) * Self.ways
    let wanted = tag(hash)
    var chosen = -1
    for way in base..<base + Self.ways {
      if tags[way] == wanted {
        chosen = way
        break
      }
      if chosen < 0 && tags[way] == 0 { chosen = way }
    }
    if chosen < 0 {
      victim = (victim + 1) % Self.ways
      chosen = base + victim
    }
    tags[chosen] = wanted
    values[chosen] =
      UInt32(purchase.label) << 3 | (purchase.isKnown ? 1 : 0) | (purchase.isRevoked ? 2 : 0)
      | (purchase.hasOpening ? 4 : 0)
  }
}

extension Limits {
  /// Purchases whose label is known without a look-up: a month of a large app.
  static let purchaseCacheEntries = 1 << 21
  /// Labels (product and environment) known by number before they are numbered anew: far more than
  /// products are usual, and with the longest ids some twenty megabytes.
  package static let labels = 16_384
}
