package import Metering

/// A question that changes nothing.
package enum Question: Equatable, Sendable {
  /// One purchase and its state.
  case transaction(ByteString)
  /// A page of purchases.
  case transactions(TransactionsQuestion)
  /// The consumption answer of a transaction.
  case consumption(ByteString)
  /// What is known under a customer's key.
  case customer(ByteString)
  /// The periods of a chain, by `originalTransactionId`.
  case subscription(ByteString)
  /// Costs over time.
  case costs(CostsQuestion)
  /// A page of refund cases.
  case cases(CasesQuestion)
  /// A page of purchases at risk.
  case atRisk(AtRiskQuestion)
}

extension Question {
  /// Whether the answer is about so little that all of it stands at one moment; a page's items
  /// stand each at their own, so that ingest never waits for a page.
  var isAnsweredWhole: Bool {
    switch self {
    case .transaction, .consumption, .customer, .subscription: true
    case .transactions, .costs, .cases, .atRisk: false
    }
  }
}

extension Question {
  /// Whether the answer is expected to take little, so that it goes before those that don't.
  var isShort: Bool {
    switch self {
    case .transaction, .consumption, .customer, .subscription: true
    case .transactions(let page): page.limit <= RouteLimits.shortPageItems
    case .cases(let page): page.limit <= RouteLimits.shortPageItems
    case .atRisk(let page): page.limit <= RouteLimits.shortPageItems
    case .costs: false
    }
  }
}

/// Which purchases at risk a page lists, the dearest first.
package struct AtRiskQuestion: Equatable, Sendable {
  /// Most items of the page.
  package var limit: Int
  /// Where the page before ended.
  package var place: RiskPlace?

  package init(limit: Int = RouteLimits.pageItems, place: RiskPlace? = nil) {
    self.limit = limit
    self.place = place
  }
}

/// Which purchases a page lists.
package struct TransactionsQuestion: Equatable, Sendable {
  /// Only purchases in this state.
  package var state: PurchaseState?
  /// Only purchases of this customer.
  package var customer: ByteString?
  /// Most items of the page.
  package var limit: Int
  /// The last id of the page before.
  package var after: ByteString?

  package init(
    state: PurchaseState? = nil, customer: ByteString? = nil, limit: Int = RouteLimits.pageItems,
    after: ByteString? = nil
  ) {
    self.state = state
    self.customer = customer
    self.limit = limit
    self.after = after
  }
}
