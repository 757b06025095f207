import Wire

/// The purchases of the demonstration, at a distance of whole days from its start.
struct DemoPurchase {
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Days of a subscription's period, and months of its commitment.
  private static let periodDays: Int64 = 30
  private static let commitmentMonths: Int64 = 12

  var id: String
  var headline = ""
  private var daysAgo: Int64
  private var fields: String
  private var deliveryStatus: String?
  /// The month of a commitment that it pays for.
  private var month: Int64?

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
      """, month: 5)
  /// The second month of the same, long over.
  static let pastMonth = DemoPurchase(
    id: "2000000900000004", daysAgo: 110, fields: commitment.fields, month: 2)
  /// Credits of which nobody has told but Apple.
  static let unheardOf = DemoPurchase(
    id: "2000000900000005", daysAgo: 1, fields: credits.fields)

  /// Those that the backend tells of.
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
    var chain = id
    if let month {
      chain = Self.commitment.id
      let length = Self.periodDays * Self.dayMilliseconds
      let left = Self.commitmentMonths + 1 - month
      period = """
        ,"expiresDate":\(purchased + length),"commitmentInfo":{"billingPeriodNumber":\(month),\
        "totalBillingPeriods":12,"commitmentExpiresDate":\(purchased + left * length),\
        "commitmentPrice":179880}
        """
    }
    return """
      {"transactionId":"\(id)","originalTransactionId":"\(chain)","bundleId":"com.example.app",\
      \(fields),"quantity":1,"purchaseDate":\(purchased),"inAppOwnershipType":"PURCHASED",\
      "environment":"Production","storefront":"USA","currency":"USD"\(period)\(more)}
      """
  }
}
