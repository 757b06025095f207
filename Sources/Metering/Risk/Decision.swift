/// Whether a refund request is answered, and with what: the contract's gates, then its rules.
///
/// A pure function of ``DecisionInput``, so that the same figures always give the same answer.
package struct Decision: Equatable, Sendable {
  /// What is decided.
  package enum Verdict: Equatable, Sendable {
    /// Nothing is sent.
    case gated(Gate)
    /// This is to be sent.
    case send(ConsumptionRequest)
  }

  package var verdict: Verdict
  /// The gate or the rule in plain words with the figures; nil when nobody asked.
  package var because: String?

  /// Decides.
  package init(_ input: DecisionInput) {
    guard let request = input.request, request.state.isPending else {
      self.init(.gated(.noCase), nil)
      return
    }
    guard let subject = input.subject else {
      self.init(.gated(.unknownPurchase), "the purchase isn't known")
      return
    }
    if let (gate, because) = Self.gate(of: request, subject, input) {
      self.init(.gated(gate), because)
      return
    }
    guard let delivery = input.delivery else {
      self.init(
        .gated(.deliveryUnknown), "no deliveryStatus was reported and no usage shows a delivery")
      return
    }
    let rule = Rule(request, subject, delivery: delivery, input)
    self.init(
      .send(
        ConsumptionRequest(
          sampleContentProvided: subject.sampleContentProvided, deliveryStatus: delivery,
          consumptionPercentage: rule.percentage, refundPreference: rule.preference)),
      rule.because)
  }

  private init(_ verdict: Verdict, _ because: String?) {
    self.verdict = verdict
    self.because = because
  }

  private static func gate(
    of request: DecisionInput.Request, _ subject: DecisionInput.Subject, _ input: DecisionInput
  ) -> (Gate, String)? {
    if subject.isRevoked { return (.revoked, "the purchase is revoked already") }
    if request.isAnswered { return (.answered, "the request is answered already") }
    if request.state == .missed { return (.late, "respondBy \(request.respondBy) is over") }
    switch input.consent {
    case .given: break
    case .withdrawn: return (.notConsented, "the customer doesn't consent")
    case .unknown: return (.notConsented, "no consent of the purchase's customer is known")
    }
    switch subject.ownership {
    case "FAMILY_SHARED": return (.familyShared, "inAppOwnershipType FAMILY_SHARED")
    case "ASSIGNED": return (.assigned, "inAppOwnershipType ASSIGNED")
    default: break
    }
    return subject.isAdvancedCommerce
      ? (.advancedCommerce, "the purchase has advancedCommerceInfo") : nil
  }
}

/// The first of the contract's seven rules that holds.
private struct Rule {
  var preference: RefundPreference?
  var percentage: Int64?
  var because: String

  private init(_ preference: RefundPreference?, _ percentage: Int64?, _ because: String) {
    self.preference = preference
    self.percentage = percentage
    self.because = because
  }

  init(
    _ request: DecisionInput.Request, _ subject: DecisionInput.Subject,
    delivery: DeliveryStatus, _ input: DecisionInput
  ) {
    let isRenewable = subject.isAutoRenewable
    guard !delivery.isUndelivered else {
      self.init(.grantFull, isRenewable ? nil : 0, "deliveryStatus \(delivery.name)")
      return
    }
    let percentage = isRenewable ? nil : input.share
    if request.reason == "LEGAL" {
      self.init(.grantFull, percentage, "consumptionRequestReason LEGAL")
      return
    }
    guard let share = input.share else {
      self.init(nil, nil, "no allowance gives a share")
      return
    }
    if let stale = input.staleFeed {
      self.init(nil, nil, stale.because)
      return
    }
    let own = request.reason.flatMap { input.decisions.byReason[$0] }
    let limits = own ?? input.decisions.thresholds
    let name = own == nil ? "" : " of \(request.reason?.string ?? "")"
    if share <= limits.grantAtOrBelow {
      self.init(
        .grantFull, percentage,
        "share \(share) at or below grantAtOrBelow \(limits.grantAtOrBelow)\(name)")
    } else if share >= limits.declineAt {
      self.init(
        .decline, percentage, "share \(share) at or above declineAt \(limits.declineAt)\(name)")
    } else {
      let between =
        "share \(share) between grantAtOrBelow \(limits.grantAtOrBelow)"
        + " and declineAt \(limits.declineAt)\(name)"
      self.init(between: between, share, isRenewable: isRenewable, input.elapsed)
    }
  }

  /// Neither little nor much was used. Apple prorates an auto-renewable subscription by time, which
  /// would give too much back to who used it faster; what else it prorates needs a part of each.
  private init(between: String, _ share: Int64, isRenewable: Bool, _ elapsed: Fraction?) {
    if !isRenewable {
      let isPart = 0 < share && share < 100_000
      self.init(isPart ? .grantProrated : nil, share, between)
    } else if let elapsed {
      let isAhead = Fraction(Int128(share), scale: 5) > elapsed
      let part = elapsed.floored(times: 100_000) ?? 0
      self.init(
        isAhead ? nil : .grantProrated, nil,
        isAhead
          ? "share \(share) above the elapsed \(part) of the period"
          : "\(between), not above the elapsed \(part) of the period")
    } else {
      self.init(nil, nil, "\(between), of a period that isn't known to end")
    }
  }
}

extension StaleFeed {
  /// The source with its figures, in plain words.
  fileprivate var because: String {
    let name = mark.source.isEmpty ? "\"\"" : mark.source.string
    return "the feed of source \(name) is complete through \(mark.through) only, more than"
      + " \(allowedMinutes) minutes before the request at \(requestedAt)"
  }
}
