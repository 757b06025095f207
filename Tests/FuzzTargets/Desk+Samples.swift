import Metering

extension Desk {
  private static let purchase = """
    "originalTransactionId":"1","productId":"com.example.pro","bundleId":"com.example.app",\
    "type":"Auto-Renewable Subscription","environment":"Production","currency":"USD",\
    "price":9990,"quantity":1,"inAppOwnershipType":"PURCHASED","storefront":"NLD"
    """

  /// Requests and events about a subscription of two periods and a pack, through their lives.
  static let requestSamples = [
    """
    T1{\(purchase),"purchaseDate":1794000000000,"expiresDate":1795500000000,\
    "signedDate":1794000000000,"appAccountToken":"AAAAAAAA-0000-0000-0000-00000000000F"}
    V{"id":"a","transactionId":"1","meter":"llm_tokens","quantity":1532,\
    "attributes":{"model":"gpt-4o","direction":"output"}}
    V{"id":"b","originalTransactionId":"1","meter":"gpu_time","quantity":"2.5","unit":"h"}
    V{"id":"c","customer":"u","meter":"credits","quantity":7,\
    "cost":{"amount":"0.01","currency":"EUR"}}
    C1{"customer":"u"}
    T2{\(purchase),"purchaseDate":1795500000000,"expiresDate":1798000000000,\
    "signedDate":1795500000000}
    V{"id":"d","voids":{"id":"b"}}
    R2{"consumptionRequestReason":"UNINTENDED_PURCHASE"}
    L2{"responder":"r","seconds":60}
    S2{"sent":{"customerConsented":true},"httpStatus":202}
    """,
    """
    T3{"productId":"com.example.credits.5000","type":"Consumable","environment":"Sandbox",\
    "currency":"EUR","price":4990,"quantity":2,"inAppOwnershipType":"PURCHASED",\
    "purchaseDate":1795000000000,"revocationDate":1795900000000,"revocationType":"REFUND_PRORATED",\
    "revocationPercentage":50000,"signedDate":1795900000000}
    D3{"deliveryStatus":"DELIVERED"}
    A3{"credits":"5500"}
    O3{"until":"2026-11-20T00:00:00Z","usage":[{"meter":"credits","quantity":40}]}
    C3{"customer":"u"}
    Nu{"consented":true,"at":"2026-11-20T00:00:00Z"}
    V{"id":"a","customer":"u","meter":"credits","quantity":3000,"time":"2026-11-25T00:00:00Z"}
    V{"id":"b","transactionId":"3","meter":"storage","quantity":1000000,\
    "attributes":{"object":"x"},"time":"2026-11-24T00:00:00Z"}
    V{"id":"c","transactionId":"3","meter":"unknown","quantity":1}
    """,
    """
    V{"id":"a","transactionId":"1","meter":"credits","quantity":12}
    V{"id":"a","transactionId":"1","meter":"credits","quantity":13}
    V{"id":"l","originalTransactionId":"1","meter":"storage","quantity":5}
    T1{"productId":"com.example.pass","type":"Non-Renewing Subscription","price":0,\
    "purchaseDate":1795000000000,"environment":"Production","originalTransactionId":"1"}
    V{"source":"s","completeThrough":"2026-11-30T00:00:00Z"}
    Qtransactions?limit=10&cursor=Nw
    Qcosts?from=2026-01-01&to=2026-03-01&window=month&groupBy=product
    Qrefund-requests?state=open&wait=1
    P-{"signedTransactionInfo":"e30.e30.AA"}
    """,
  ]

  /// Bodies of frames that the samples come to.
  static func sampleBodies() -> [[UInt8]] {
    let desk = Desk()
    for sample in requestSamples { desk.take(Array(text: sample), inOneCommit: true) }
    return desk.frames
  }
}

extension FuzzTarget {
  private static let renewal = """
    {"originalTransactionId":"1","productId":"com.example.pro","environment":"Sandbox",\
    "signedDate":1796000000000,"autoRenewStatus":1,"autoRenewProductId":"com.example.pro",\
    "isInBillingRetryPeriod":true,"gracePeriodExpiresDate":1796500000000}
    """

  private static func notification(_ type: String, _ subtype: String = "", _ more: String = "")
    -> String
  {
    """
    {"notificationType":"\(type)","subtype":"\(subtype)","notificationUUID":"\(type)\(more.count)",\
    "version":"2.0","signedDate":1796000000000,"data":{"bundleId":"com.example.app",\
    "environment":"Sandbox","status":1,"signedTransactionInfo":"@T","signedRenewalInfo":"@R"\(more)}}
    """
  }

  private static func transaction(_ more: String = "") -> String {
    """
    {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.app",\
    "environment":"Sandbox","signedDate":1796000000000,"purchaseDate":1795000000000,\
    "expiresDate":1797000000000,"productId":"com.example.pro","price":9990,"currency":"USD",\
    "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED"\(more)}
    """
  }

  /// Notifications of a subscription's life, each with transaction and renewal behind it.
  static let notificationSamples: [String] = {
    let refund = ",\"revocationDate\":1795900000000,\"revocationType\":\"REFUND_FULL\""
    let reason = ",\"consumptionRequestReason\":\"LEGAL\""
    return [
      [
        notification("CONSUMPTION_REQUEST", "", reason), transaction(), renewal,
        notification("REFUND"), transaction(refund), renewal,
        notification("REFUND_REVERSED"), transaction(), renewal,
      ],
      [
        notification("DID_FAIL_TO_RENEW", "GRACE_PERIOD"), transaction(), renewal,
        notification("EXPIRED", "VOLUNTARY"), transaction(), renewal,
      ],
      [
        """
        {"notificationType":"TEST","notificationUUID":"t","signedDate":1796000000000,\
        "data":{"bundleId":"com.example.app","environment":"Sandbox"}}
        """, "", "",
        """
        {"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY","notificationUUID":"x",\
        "signedDate":1796000000000,"summary":{"bundleId":"com.example.app",\
        "environment":"Sandbox","requestIdentifier":"r","succeededCount":1,"failedCount":0}}
        """, "", "",
      ],
    ].map { $0.joined(separator: "\n") }
  }()
}
