import Wire

/// The three purchases of the demonstration, at a distance of whole days from its start.
struct DemoPurchase {
  private static let dayMilliseconds: Int64 = 86_400_000

  var id: String
  var headline: String
  private var daysAgo: Int64
  private var fields: String
  private var deliveryStatus: String?

  /// 5,000 credits, of which 4,000 have been used.
  static let credits = DemoPurchase(
    id: "2000000900000001", headline: "5,000 credits, 4,000 of them used", daysAgo: 10,
    fields: """
      "productId":"com.example.credits.5000","type":"Consumable","price":9990
      """)
  /// 5,000 credits that an outage kept from the customer.
  static let undelivered = DemoPurchase(
    id: "2000000900000002", headline: "5,000 credits that never arrived", daysAgo: 3,
    fields: """
      "productId":"com.example.credits.5000","type":"Consumable","price":9990
      """,
    deliveryStatus: "UNDELIVERED_SERVER_OUTAGE")
  /// The fifth month of a commitment to twelve.
  static let commitment = DemoPurchase(
    id: "2000000900000003", headline: "month 5 of a 12-month commitment, 300 paid generations",
    daysAgo: 20,
    fields: """
      "productId":"com.example.studio.monthly","type":"Auto-Renewable Subscription",\
      "price":14990,"billingPlanType":"MONTHLY"
      """)

  static let all = [credits, undelivered, commitment]

  /// The calls that register it.
  func requests(nowMilliseconds: Int64) -> [ClientRequest] {
    let json = [("Content-Type", "application/json")]
    var requests = [
      ClientRequest(
        "PUT", "/v1/transactions/\(id)", headers: json,
        body: Array(payload(nowMilliseconds: nowMilliseconds).utf8))
    ]
    if let deliveryStatus {
      requests.append(
        ClientRequest(
          "PUT", "/v1/transactions/\(id)/delivery", headers: json,
          body: Array("{\"deliveryStatus\":\"\(deliveryStatus)\"}".utf8)))
    }
    return requests
  }

  /// When it was bought, milliseconds since 1970.
  func purchased(nowMilliseconds: Int64) -> Int64 {
    nowMilliseconds - daysAgo * Self.dayMilliseconds
  }

  /// Apple's decoded payload of it, with further members.
  func payload(nowMilliseconds: Int64, adding more: String = "") -> String {
    let purchased = purchased(nowMilliseconds: nowMilliseconds)
    var period = ""
    if id == Self.commitment.id {
      let day = Self.dayMilliseconds
      period = """
        ,"expiresDate":\(purchased + 30 * day),"commitmentInfo":{"billingPeriodNumber":5,\
        "totalBillingPeriods":12,"commitmentExpiresDate":\(purchased + 240 * day),\
        "commitmentPrice":179880}
        """
    }
    return """
      {"transactionId":"\(id)","originalTransactionId":"\(id)","bundleId":"com.example.app",\
      \(fields),"quantity":1,"purchaseDate":\(purchased),"inAppOwnershipType":"PURCHASED",\
      "environment":"Production","storefront":"USA","currency":"USD"\(period)\(more)}
      """
  }
}
