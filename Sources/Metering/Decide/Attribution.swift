/// A reading on its way to the purchases that take it.
struct AttributedReading {
  /// Number of the reading in its event.
  var number: Int
  var meter: ByteString
  var isLevel: Bool
  /// Raw 10^-9 base units.
  var quantity: Int128
  /// Raw 10^-15 of the own cost's currency; 0 without.
  var amount: Int128
}

/// A reading, or the part of one, with where it goes.
struct AttributedPart {
  var number: Int
  /// The transaction, or for a level the id of its series; empty while it waits.
  var booked: ByteString
  /// Number of the label in the decider's list.
  var label: Int32
  var quantity: Int128
  /// Raw 10^-15 of the own cost's currency, or as many ``parts`` of one.
  var amount: Int128
  /// Parts of 10^-15 that the amount counts: more than one for what a division leaves.
  var parts: Int128 = 1
}

extension AttributedReading {
  /// The own cost by parts of the quantity, each exactly: 10^-15 units, and a rest in `parts` of
  /// one.
  ///
  /// So large a quantity that rests of it might overflow a sum, 10^18 base units and more, has
  /// none: there the last part takes what division leaves, less than 10^-15 each.
  func cost(by quantities: [Int128]) -> [(whole: Int128, rest: Int128, parts: Int128)] {
    guard amount != 0, quantities.count > 1 else {
      return quantities.map { _ in (amount, 0, 1) }
    }
    var left = amount
    return quantities.enumerated().map { number, part in
      let exact = Fraction(BigInteger(amount) * BigInteger(part), over: BigInteger(quantity))
      let isLast = number == quantities.count - 1
      guard quantity <= Limits.exactlySplitQuantity else {
        let whole = isLast ? left : exact.floored(times: 1) ?? 0
        left -= whole
        return (whole, 0, 1)
      }
      guard let whole = exact.floored(times: 1), let parts = exact.denominator.int128,
        let rest = (exact.numerator - BigInteger(whole) * exact.denominator).int128
      else { preconditionFailure("a part is no more than the whole") }
      return (whole, rest, parts)
    }
  }
}

/// Where an event goes.
struct Attribution {
  var parts: [AttributedPart] = []
  /// Revoked purchases that took something.
  var revoked: [RevokedPurchase] = []
  /// Whether an opening balance holds something of it already.
  var isBeforeOpening = false

  /// Whether everything goes to one place, so that the short fact will do.
  func isWhole(readings: Int) -> Bool {
    parts.count == readings && parts.allSatisfy { $0.booked == parts[0].booked }
  }
}

/// A purchase that was taken back: a backend should stop serving it.
package struct RevokedPurchase: Hashable, Sendable {
  package var transactionId: ByteString
  package var customer: ByteString?

  /// Names a purchase and, where it is known, its customer.
  package init(transactionId: ByteString, customer: ByteString?) {
    self.transactionId = transactionId
    self.customer = customer
  }
}

extension ByteString {
  /// The id that a customer's levels stand under: no transaction has a control character.
  package var customerSeries: ByteString { ByteString([1] + customerKey.bytes) }

  /// The customer of a ``customerSeries``; nil for every other id.
  package var seriesCustomer: ByteString? {
    bytes.first == 1 ? ByteString(bytes.dropFirst()) : nil
  }
}

extension Limits {
  /// Purchases that one reading can be split between; a customer with more unused ones at once has
  /// the rest booked as overuse of the last.
  static let splitPurchases = 32
  /// Raw quantity up to which an own cost is split exactly: what is left of a division counts in
  /// parts of at most this, of which a sum of 128 bits holds 2^37.
  static let exactlySplitQuantity: Int128 = 1 << 90
  /// Rests of split costs that one line of a relabelling moves, so that totals hold them.
  static let restsAtOnce: UInt128 = 1 << 60
  /// Customers whose purchases are remembered between look-ups.
  static let customerViews = 4_096
}
