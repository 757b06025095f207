import Metering
import Wire

/// What happens when customers want their money back: a request and what to tell Apple, a refund
/// and its reversal, and refunds of a past and of the current month of a commitment.
struct DemoRefunds {
  /// Month 2 of the commitment whose month 5 is the current one.
  private static let pastMonth = "2000000900000004"
  private static let dayMilliseconds: Int64 = 86_400_000

  private let address: ServerAddress
  private let now: Int64
  private var table = TextTable(
    ["what happens", "transaction", "state", "kept", "loss", "leak", "forecast", "to tell Apple"],
    rightAligned: [3, 4, 5, 6])

  /// Stories on the server at `address`, `now` being milliseconds since 1970.
  init(address: ServerAddress, now: Int64) {
    self.address = address
    self.now = now
  }

  /// Lets it all happen and returns a table of it. Throws when the server refuses.
  mutating func run() throws(CommandFailure) -> String {
    let credits = DemoPurchase.credits
    try put("/v1/customers/anna/consent", "{\"consented\":true}")
    try put("/v1/transactions/\(credits.id)/customer", "{\"customer\":\"anna\"}")
    try ask(credits.id, "UNSATISFIED_WITH_PURCHASE")
    try note("a customer asks for a refund", credits.id)
    try ask(DemoPurchase.undelivered.id, "UNINTENDED_PURCHASE")
    try note("another asks, and never consented", DemoPurchase.undelivered.id)
    try revise(credits, signed: 1, revocation: "REFUND_FULL")
    try note("Apple refunds the credits", credits.id)
    try revise(credits, signed: 2, revocation: nil)
    try note("and reverses that", credits.id)
    let commitment = DemoPurchase.commitment
    try put("/v1/transactions/\(Self.pastMonth)", pastMonth(revoked: nil, signed: 0))
    try note("month 5 of a commitment runs", commitment.id)
    try put("/v1/transactions/\(Self.pastMonth)", pastMonth(revoked: now, signed: 1))
    try note("month 2 of it is refunded by 70 %", Self.pastMonth)
    try note("which leaves month 5 as it was", commitment.id)
    try revise(commitment, signed: 1, revocation: "REFUND_PRORATED", percentage: 85_000)
    try note("month 5 is refunded by 85 %", commitment.id)
    return table.text(indent: "")
  }

  private func put(_ path: String, _ body: String) throws(CommandFailure) {
    try send("PUT", path, body)
  }

  private func send(
    _ method: String, _ path: String, _ body: String
  ) throws(CommandFailure) {
    let client = try address.connect()
    _ = try ServerAddress.send(
      ClientRequest(
        method, path, headers: [("Content-Type", "application/json")], body: Array(body.utf8)),
      by: client)
  }

  private func ask(_ id: String, _ reason: String) throws(CommandFailure) {
    try send(
      "POST", "/v1/transactions/\(id)/refund-request",
      "{\"consumptionRequestReason\":\"\(reason)\"}")
  }

  /// Registers a purchase again, as Apple's newer payload would, with or without a revocation.
  private func revise(
    _ purchase: DemoPurchase, signed: Int64, revocation: String?, percentage: Int64? = nil
  ) throws(CommandFailure) {
    var fields = ",\"signedDate\":\(now + signed)"
    if let revocation {
      fields += ",\"revocationDate\":\(now),\"revocationType\":\"\(revocation)\""
    }
    if let percentage { fields += ",\"revocationPercentage\":\(percentage)" }
    try put(
      "/v1/transactions/\(purchase.id)", purchase.payload(nowMilliseconds: now, adding: fields))
  }

  private func pastMonth(revoked: Int64?, signed: Int64) -> String {
    let day = Self.dayMilliseconds
    let fields =
      revoked.map {
        ",\"revocationDate\":\($0),\"revocationType\":\"REFUND_PRORATED\","
          + "\"revocationPercentage\":70000"
      } ?? ""
    return """
      {"transactionId":"\(Self.pastMonth)","originalTransactionId":"\(DemoPurchase.commitment.id)",\
      "productId":"com.example.studio.monthly","type":"Auto-Renewable Subscription",\
      "price":14990,"currency":"USD","billingPlanType":"MONTHLY","quantity":1,\
      "purchaseDate":\(now - 110 * day),"expiresDate":\(now - 80 * day),\
      "signedDate":\(now + signed),"inAppOwnershipType":"PURCHASED","environment":"Production",\
      "storefront":"USA","commitmentInfo":{"billingPeriodNumber":2,"totalBillingPeriods":12,\
      "commitmentExpiresDate":\(now + 220 * day),"commitmentPrice":179880}\(fields)}
      """
  }

  private mutating func note(_ what: String, _ id: String) throws(CommandFailure) {
    let answer = try AnswerJSON.parse(try ShowCommand.consumption(of: id, address: address))
    table.add([
      what, id, JSONNode.plain(answer["state"]), JSONNode.plain(answer["proceeds"]?["kept"]),
      Self.amounts(answer["realisedLoss"]), Self.amounts(answer["leak"]),
      JSONNode.plain(answer["commitment"]?["forecastAtRisk"]?["amount"]), Self.proposal(answer),
    ])
  }

  private static func amounts(_ node: JSONNode?) -> String {
    let amounts = (node?.elements ?? []).map { JSONNode.plain($0["amount"]) }
    return amounts.isEmpty ? "–" : amounts.joined(separator: " ")
  }

  private static func proposal(_ answer: JSONNode) -> String {
    guard let body = answer["consumptionRequest"], !body.isNull else {
      return "nothing: \(JSONNode.plain(answer["gate"]))"
    }
    let share = body["consumptionPercentage"]?.integer.map(ConsumptionText.percent)
    return [JSONNode.plain(body["refundPreference"]), share].compactMap { $0 }
      .joined(separator: ", ")
  }
}
