import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Legal extremes against the built program: every field at its largest, alone and together,
/// through the socket and back through restarts, a late purchase, voids, a refund and a
/// verification.
///
/// A round with all fields and one for each by default, many with `OUTLAY_LONG`; the seed is
/// `OUTLAY_SEED`.
@Suite(.serialized) struct ExtremesTests {
  @Test func everyFieldAtItsLargest() throws {
    var random = RandomSequence(seed: Binary.seed)
    let isLong = ProcessInfo.processInfo.environment["OUTLAY_LONG"] != nil
    var (sent, accepted) = (0, 0)
    for round in 0..<(isLong ? 100 : Extremes.fields.count + 1) {
      let server = try ServerChild(
        parent: "/tmp", body: Extremes.configuration, preferredPort: 0,
        executable: try Binary.path())
      defer { server.finish() }
      var run = ExtremeRun(server: server, extremes: Extremes(round: round, &random))
      try server.start()
      try run.all()
      sent += run.sent
      accepted += run.accepted
    }
    // A field alone at its largest is nothing to refuse.
    #expect(accepted >= Extremes.fields.count / 2)
    if isLong { print("legal extremes: \(sent) inputs") }
  }
}

/// Inputs with fields at their largest.
struct Extremes {
  static let meter = text("m", Metering.Limits.nameBytes)
  static let level = text("l", Metering.Limits.nameBytes)
  static let unit = text("u", Metering.Limits.nameBytes)
  static let baseUnit = text("b", Metering.Limits.nameBytes)
  static let attributes = (0..<Metering.Limits.attributesPerReading).map { text("a\($0)", 40) }
  static let product = text("p", Metering.Limits.nameBytes)
  /// Longer than the configuration can name one.
  static let otherProduct = text("p", Metering.Limits.purchaseTextBytes)

  static let configuration = """
      meters: {
        "\(meter)": { unit: "\(baseUnit)", units: { "\(unit)": "999.999999999" },
          attributes: [\(attributes.map { "\"\($0)\"" }.joined(separator: ","))] },
        "\(level)": { unit: "\(baseUnit)", kind: "level", attributes: ["\(attributes[0])"] },
      },
      prices: [{ meter: "\(meter)", price: "999999999999999999.999999999999999999",
        per: "0.000000000000000007 \(unit)", currency: "USD" }],
      products: { "\(product)": { allowance: { "\(meter)": "0.000000001" } } },
    """

  /// Which fields are at their largest: one of them, all, or some.
  private let chosen: Set<String>
  let round: Int

  static let fields = [
    "id", "source", "quantity", "unit", "attributes", "undeclared", "cost", "readings",
    "level", "time", "escapes",
  ]

  init(round: Int, _ random: inout RandomSequence) {
    self.round = round
    // All at first, then each alone, then any.
    if round == 0 {
      chosen = Set(Self.fields)
    } else if round <= Self.fields.count {
      chosen = [Self.fields[round - 1]]
    } else {
      chosen = Set(Self.fields.filter { _ in Bool.random(using: &random) })
    }
  }

  /// A text of so many bytes, most of them of three-byte characters.
  static func text(_ start: String, _ bytes: Int) -> String {
    let rest = bytes - start.utf8.count
    return start + String(repeating: "x", count: rest % 3) + String(repeating: "€", count: rest / 3)
  }

  /// An id of the largest size, or a short one, that ends its own way.
  func id(_ start: String, _ field: String) -> String {
    chosen.contains(field) ? Self.text(start, Metering.Limits.nameBytes) : start
  }

  private func quoted(_ text: String) -> String {
    guard chosen.contains("escapes") else { return "\"\(text)\"" }
    // Each character in its longest form.
    return "\"" + text.utf16.map { String(format: "\\u%04x", $0) }.joined() + "\""
  }

  private func reading(_ number: Int, attributeBytes: Int) -> String {
    let isLevel = chosen.contains("level") && number % 4 == 3
    var members = ["\"meter\":\"\(isLevel ? Self.level : Self.meter)\""]
    members.append(
      chosen.contains("quantity")
        ? "\"quantity\":\"999999999999999999.999999999\"" : "\"quantity\":1")
    if chosen.contains("unit") && !isLevel { members.append("\"unit\":\"\(Self.unit)\"") }
    if chosen.contains("cost") {
      members.append(
        "\"cost\":{\"amount\":\"999999999999999999.999999999999999\",\"currency\":\"EUR\"}")
    }
    var attributes: [String] = []
    if chosen.contains("attributes") {
      let names = chosen.contains("undeclared") ? Self.attributes.map { $0 + "?" } : Self.attributes
      for name in names {
        attributes.append("\"\(name)\":\"\(Self.text("\(number)", attributeBytes))\"")
      }
    }
    members.append("\"attributes\":{\(attributes.joined(separator: ","))}")
    return "{\(members.joined(separator: ","))}"
  }

  /// An event as long as the limit lets it be, of as many readings as fit.
  func event(_ name: String, _ subject: String, _ owner: String, at time: Instant) -> String {
    var members = [
      "\"id\":\(quoted(id(name, "id")))", "\"source\":\(quoted(id("s", "source")))",
      "\"\(subject)\":\"\(owner)\"",
    ]
    if chosen.contains("time") { members.append("\"time\":\"\(time)\"") }
    let head = members.joined(separator: ",")
    var readings: [String] = []
    var bytes = head.utf8.count + 16
    let count = chosen.contains("readings") ? Metering.Limits.readingsPerEvent : 1
    for number in 0..<count {
      let reading = reading(number, attributeBytes: count == 1 ? Metering.Limits.nameBytes : 8)
      bytes += reading.utf8.count + 1
      if bytes > Metering.Limits.eventBytes { break }
      readings.append(reading)
    }
    return "{\(head),\"usage\":[\(readings.joined(separator: ","))]}"
  }

  func void(_ name: String) -> String {
    """
    {"id":\(quoted(id("v" + name, "id"))),"source":\(quoted(id("s", "source"))),\
    "voids":{"id":\(quoted(id(name, "id"))),"source":\(quoted(id("s", "source")))}}
    """
  }

  /// A purchase with long texts and large numbers.
  func purchase(_ more: String = "") -> String {
    let texts = [
      "webOrderLineItemId", "bundleId", "subscriptionGroupIdentifier", "offerIdentifier",
      "storefrontId",
    ].map { "\"\($0)\":\"\(Self.text($0, Metering.Limits.purchaseTextBytes))\"" }.joined(
      separator: ",")
    let product = round % 2 == 0 ? Self.otherProduct : Self.product
    return """
      {"productId":"\(product)","type":"Consumable","purchaseDate":1735700000000,
       "originalTransactionId":"\(Self.text("o", Metering.Limits.transactionIdBytes))",
       "quantity":2147483647,"price":9223372036854775807,"currency":"USD",
       "inAppOwnershipType":"PURCHASED","environment":"Production",\(texts)\(more)}
      """
  }
}

/// One server's life with them.
struct ExtremeRun {
  let server: ServerChild
  let extremes: Extremes
  private(set) var sent = 0
  /// Requests whose events were all taken.
  private(set) var accepted = 0

  private static let chain = Extremes.text("o", Metering.Limits.transactionIdBytes)
  private static let transaction = Extremes.text("t", Metering.Limits.transactionIdBytes)
  private static let customer = Extremes.text("c", Metering.Limits.nameBytes)

  init(server: ServerChild, extremes: Extremes) {
    self.server = server
    self.extremes = extremes
  }

  private mutating func send(
    _ method: String, _ path: String, _ body: String = "", lines: Bool = false,
    mayBeRefused: Bool = false
  ) throws -> Int {
    sent += 1
    let client = try UnixHTTPClient(path: server.socketPath)
    client.patienceMilliseconds = 60_000
    let headers = lines ? [("Content-Type", "application/x-ndjson")] : []
    let answer = try client.send(
      ClientRequest(method, path, headers: headers, body: Array(body.utf8)))
    if answer.status >= 400, !(mayBeRefused && answer.status == 422) {
      let told = String(decoding: answer.body.prefix(600), as: UTF8.self)
      Issue.record(
        "round \(extremes.round): \(method) \(path.prefix(60)) \(answer.status) \(told)")
    }
    return answer.status
  }

  private static func segment(_ text: String) -> String {
    text.utf8.map { String(format: "%%%02X", $0) }.joined()
  }

  private var path: String { "/v1/transactions/\(Self.segment(Self.transaction))" }

  private var names: [(name: String, subject: String, owner: String)] {
    [
      ("1", "transactionId", Self.transaction), ("2", "originalTransactionId", Self.chain),
      ("3", "customer", Self.customer),
    ]
  }

  /// Everything in turn, the process killed in between.
  mutating func all() throws {
    try sendEvents()
    try restart()
    try bringPurchase()
    try restart()
    try askEverything()
    try takeBack()
    #expect(server.stop())
    let run = try Binary.run(["verify", "--config", server.configurationPath])
    #expect(run.code == 0, "round \(extremes.round): \(run.output) \(run.errors)")
  }

  private mutating func restart() throws {
    server.killNow()
    try server.start()
  }

  private mutating func sendEvents() throws {
    let time = Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
      .adding(microseconds: -86_400_000_000)
    let events = names.map {
      extremes.event($0.name, $0.subject, $0.owner, at: time)
    }
    let all = "[\(events.joined(separator: ","))]"
    // All at once may be more than a total holds, or than an event may have: a stated refusal then.
    if try send("POST", "/v1/events", all, mayBeRefused: true) == 200 { accepted += 1 }
    _ = try send(
      "POST", "/v1/events", events.joined(separator: "\n"), lines: true, mayBeRefused: true)
  }

  private mutating func bringPurchase() throws {
    let most = #"{"meter":"\#(Extremes.meter)","quantity":"999999999999999999.999999999"}"#
    let usage = "[" + Array(repeating: most, count: 64).joined(separator: ",") + "]"
    let reason = String(repeating: "R", count: Metering.Limits.reasonBytes)
    _ = try send("PUT", path + "/customer", "{\"customer\":\"\(Self.customer)\"}")
    _ = try send("PUT", path, extremes.purchase())
    _ = try send(
      "PUT", path + "/opening", "{\"until\":\"2025-01-02T00:00:00Z\",\"usage\":\(usage)}")
    _ = try send(
      "PUT", path + "/allowance", "{\"\(Extremes.meter)\":\"999999999999999999.999999999\"}")
    _ = try send("PUT", path + "/delivery", "{\"deliveryStatus\":\"DELIVERED\"}")
    _ = try send(
      "POST", path + "/refund-request",
      "{\"consumptionRequestReason\":\"\(reason)\"}"
    )
  }

  private mutating func askEverything() throws {
    let customer = Self.segment(Self.customer)
    for question in [
      path, path + "/consumption", "/v1/customers/\(customer)",
      "/v1/subscriptions/\(Self.segment(Self.chain))", "/v1/transactions?limit=1000",
      "/v1/transactions?customer=\(customer)", "/v1/refund-requests", "/v1/at-risk",
      "/v1/costs?from=2025-01-01&to=2027-01-01&window=month&groupBy=meter,product", "/metrics",
    ] {
      _ = try send("GET", question)
    }
  }

  private mutating func takeBack() throws {
    let refund = """
      ,"revocationDate":1735800000000,"revocationReason":2147483647,
      "revocationType":"REFUND_PRORATED","revocationPercentage":99999,"signedDate":1735800000000
      """
    _ = try send("PUT", path, extremes.purchase(refund))
    try askEverything()
    let voids = names.map { extremes.void($0.name) }.joined(separator: "\n")
    _ = try send("POST", "/v1/events", voids, lines: true, mayBeRefused: true)
    try restart()
    _ = try send("POST", "/v1/events", voids, lines: true, mayBeRefused: true)
    try askEverything()
  }
}
