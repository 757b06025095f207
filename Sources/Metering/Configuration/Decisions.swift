/// Thresholds of the proposed answer to a refund request.
package struct Decisions: Equatable, Sendable {
  /// Both thresholds, in thousandths of a percent, 0…100000.
  package struct Thresholds: Equatable, Sendable {
    /// A share of at least this proposes to decline.
    package var declineAt: Int64
    /// A share of at most this proposes a full refund; below ``declineAt``.
    package var grantAtOrBelow: Int64

    /// Both thresholds.
    package init(declineAt: Int64, grantAtOrBelow: Int64) {
      self.declineAt = declineAt
      self.grantAtOrBelow = grantAtOrBelow
    }
  }

  /// For reasons without their own.
  package var thresholds = Thresholds(declineAt: 70_000, grantAtOrBelow: 0)
  /// A source whose mark is older makes the feed stale.
  package var staleAfterMinutes: Int64 = 60
  /// Both thresholds for one of Apple's reasons.
  package var byReason: [ByteString: Thresholds] = [:]

  /// Apple's values of `consumptionRequestReason`.
  package static let reasons: [ByteString] = [
    "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
  ]

  /// The defaults.
  package init() {}
}
