package import AppStore
package import Metering

/// One open refund case, as the socket lists it.
package struct OpenCase: Sendable {
  /// Its id, such as `700001234567890:1`.
  package var id: ByteString
  /// The purchase.
  package var transactionId: ByteString
  /// Where it was bought; nil while the purchase isn't known.
  package var environment: StoreEnvironment?
  /// When its time is over.
  package var respondBy: Instant
  /// The reason in a word for which nothing is to be sent; nil when `proposal` is there.
  package var gate: ByteString?
  /// The body to send, as the sidecar proposes it.
  package var proposal: JSONNode?

  /// Reads an item of `GET /v1/refund-requests`; nil when it isn't one.
  package init?(_ item: JSONNode) {
    guard let id = item["case"]?.string, let consumption = item["consumption"],
      let transaction = consumption["transactionId"]?.string ?? item["transactionId"]?.string,
      let respondBy = item["respondBy"]?.string.flatMap({ Instant(rfc3339: $0) })
    else { return nil }
    self.id = id
    transactionId = transaction
    self.respondBy = respondBy
    read(consumption)
  }

  /// Takes in a consumption answer; false when it isn't about this case any more.
  package mutating func update(_ consumption: JSONNode) -> Bool {
    guard consumption["refundCase"]?["case"]?.string == id else { return false }
    read(consumption)
    return true
  }

  private mutating func read(_ consumption: JSONNode) {
    environment = consumption["environment"]?.string.flatMap { StoreEnvironment($0) }
    gate = consumption["gate"]?.string
    proposal = consumption["consumptionRequest"].flatMap { $0.isNull ? nil : $0 }
  }

  /// Whether it was listed with another gate, environment or body.
  func asksOther(than old: OpenCase) -> Bool {
    gate != old.gate || environment != old.environment || body != old.body
  }

  /// The body to send; nil where it isn't one that Apple takes.
  private var body: ConsumptionBody? { proposal.flatMap { try? ConsumptionBody($0) } }

  /// The gate of a case whose purchase was never told.
  package static let unknownPurchase: ByteString = "unknown_purchase"
}
