/// Where a purchase stands in its life; the first that holds, in this order.
///
/// The numbers are stored, so they never change their meaning.
package enum PurchaseState: UInt8, CaseIterable, Sendable {
  case revoked = 0
  case refunded = 1
  case refundRequested = 2
  case superseded = 3
  case expired = 4
  case grace = 5
  case active = 6

  /// Reads the spelling of the contract; nil for every other text.
  package init?(name: ByteString) {
    guard let state = Self.allCases.first(where: { ByteString($0.name) == name }) else {
      return nil
    }
    self = state
  }

  /// The spelling of the contract.
  package var name: String {
    switch self {
    case .revoked: "revoked"
    case .refunded: "refunded"
    case .refundRequested: "refund_requested"
    case .superseded: "superseded"
    case .expired: "expired"
    case .grace: "grace"
    case .active: "active"
    }
  }
}
