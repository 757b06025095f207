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
  var amount: Int128
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
  /// Customers whose purchases are remembered between look-ups.
  static let customerViews = 4_096
}
