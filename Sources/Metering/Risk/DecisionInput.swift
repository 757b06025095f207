/// Everything that decides about an answer, at one instant.
package struct DecisionInput: Sendable {
  /// What of the request decides.
  package struct Request: Sendable {
    package var state: RefundCaseState
    /// Whether Apple took an answer, in time or late.
    package var isAnswered: Bool
    package var reason: ByteString?
    package var respondBy: Instant

    /// A request; see the properties.
    package init(
      state: RefundCaseState, isAnswered: Bool, reason: ByteString?, respondBy: Instant
    ) {
      self.state = state
      self.isAnswered = isAnswered
      self.reason = reason
      self.respondBy = respondBy
    }
  }

  /// What of the purchase decides.
  package struct Subject: Sendable {
    package var isRevoked = false
    package var isAutoRenewable = false
    package var ownership: ByteString?
    package var isAdvancedCommerce = false
    package var sampleContentProvided = false

    /// A purchase that is nothing special.
    package init() {}
  }

  /// What the customer said of sharing consumption data.
  package enum Consent: Sendable {
    /// Nobody knows whose purchase it is, or what that customer wants.
    case unknown
    case given
    case withdrawn
  }

  /// Nil when nobody asked.
  package var request: Request?
  /// Nil while the purchase isn't known.
  package var subject: Subject?
  package var consent: Consent
  /// Nil when unknown.
  package var delivery: DeliveryStatus?
  /// The purchase's share in 1/100000, 0…100000, rounded down; nil without an allowance.
  package var share: Int64?
  /// The part of the billing period that is over, 0…1; nil when the period isn't known to end.
  package var elapsed: Fraction?
  /// A source that was behind at the request, with the longest delay allowed; nil when none was.
  package var staleFeed: StaleFeed?
  package var decisions: Decisions

  /// An input; see the properties.
  package init(
    request: Request?, subject: Subject?, consent: Consent, delivery: DeliveryStatus?,
    share: Int64?, elapsed: Fraction?, staleFeed: StaleFeed?, decisions: Decisions
  ) {
    self.request = request
    self.subject = subject
    self.consent = consent
    self.delivery = delivery
    self.share = share
    self.elapsed = elapsed
    self.staleFeed = staleFeed
    self.decisions = decisions
  }
}

/// A source whose usage was not all there when the request came.
package struct StaleFeed: Equatable, Sendable {
  package var mark: FeedMark
  package var requestedAt: Instant
  package var allowedMinutes: Int64

  /// The source that is furthest behind, if one is: a mark exactly as old as allowed is fresh.
  package init?(_ marks: [FeedMark], requestedAt: Instant, allowedMinutes: Int64) {
    let oldest = marks.min { ($0.through, $0.source) < ($1.through, $1.source) }
    let bound = requestedAt.adding(microseconds: -allowedMinutes * 60_000_000)
    guard let oldest, oldest.through < bound else { return nil }
    mark = oldest
    self.requestedAt = requestedAt
    self.allowedMinutes = allowedMinutes
  }
}
