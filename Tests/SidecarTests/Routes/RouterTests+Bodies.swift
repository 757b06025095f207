import Metering
import Sidecar
import Wire

extension RouterTests {
  private static func put(_ path: String, _ body: String, _ expected: String) -> Case {
    Case(method: "PUT", target: "/v1/\(path)", body: body, expected: expected)
  }

  private static func object(members: Int) -> String {
    "{" + (0..<members).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
  }

  static let bodies: [Case] = [
    put("transactions/7", "{\"productId\":\"p\",\"price\":9990,\"new\":[]}", "put 7 p"),
    put("transactions/7", "{\"price\":9.99}", "422 invalid_purchase"),
    put("transactions/7", "{\"purchaseDate\":1700000000}", "422 invalid_purchase"),
    put("transactions/7", "{\"environment\":\"Xcode\"}", "422 invalid_purchase"),
    put("transactions/7", "[]", "422 invalid_body"),
    put("transactions/7", "", "400 invalid_json"),
    put("transactions/7", "{\"a\":1,}", "400 invalid_json"),
    put("transactions/7", "{\"price\":1,\"price\":2}", "400 duplicate_key"),
    put("transactions/7", String(repeating: "[", count: 100_000), "413 too_large"),
    put("transactions/7", String(repeating: "[", count: 60_000), "400 invalid_json"),
    put("transactions/7", "{\"a\":\"\u{FFFD}", "400 invalid_json"),
    put("transactions/7", "\u{FEFF}{}", "400 invalid_json"),
    put("transactions/7", object(members: Metering.Limits.jsonMembers), "put 7 -"),
    put("transactions/7", object(members: Metering.Limits.jsonMembers + 1), "413 too_large"),
    put("transactions/7/delivery", "{\"deliveryStatus\":\"DELIVERED\"}", "delivery 7 DELIVERED"),
    put("transactions/7/delivery", "{\"deliveryStatus\":\"X\"}", "422 invalid_delivery_status"),
    put("transactions/7/delivery", "{\"deliveryStatus\":0}", "422 invalid_delivery_status"),
    put("transactions/7/delivery", "{}", "422 invalid_delivery_status"),
    put(
      "transactions/7/delivery", "{\"deliveryStatus\":\"DELIVERED\",\"a\":1}",
      "422 unknown_field"),
    put("transactions/7/customer", "{\"customer\":\"u\"}", "customer 7 u"),
    put(
      "transactions/7/customer", "{\"customer\":\"AAAAAAAA-0000-0000-0000-00000000000F\"}",
      "customer 7 aaaaaaaa-0000-0000-0000-00000000000f"),
    put("transactions/7/customer", "{\"customer\":\"\"}", "422 invalid_customer"),
    put("transactions/7/customer", "{\"customer\":\"a\\u0000\"}", "422 invalid_customer"),
    put("transactions/7/customer", "{\"customer\":null}", "422 invalid_customer"),
    put(
      "transactions/7/allowance", "{\"credits\":\"5500\",\"tokens\":1e3}",
      "allowance 7 credits=5500 tokens=1000"),
    put("transactions/7/allowance", "{}", "allowance 7"),
    put("transactions/7/allowance", "{\"coins\":1}", "422 unknown_meter"),
    put("transactions/7/allowance", "{\"credits\":\"-1\"}", "422 negative_quantity"),
    put("transactions/7/allowance", "{\"credits\":\"NaN\"}", "422 invalid_quantity"),
    put("transactions/7/allowance", "{\"credits\":1e999}", "422 invalid_quantity"),
    put("transactions/7/allowance", "{\"credits\":true}", "422 invalid_quantity"),
    put(
      "transactions/7/opening",
      "{\"until\":\"2026-11-29T00:00:00Z\",\"usage\":[ {\"meter\":\"credits\",\"quantity\":1e2}]}",
      "opening 7 2026-11-29T00:00:00.000000Z [{\"meter\":\"credits\",\"quantity\":1e2}]"),
    put("transactions/7/opening", "{\"usage\":[]}", "422 invalid_time"),
    put(
      "transactions/7/opening", "{\"until\":\"2026-11-30T00:05:01Z\",\"usage\":[]}",
      "422 time_in_future"),
    put(
      "transactions/7/opening", "{\"until\":\"2026-11-29T00:00:00Z\",\"usage\":{}}",
      "422 invalid_body"),
    put(
      "transactions/7/opening", "{\"until\":\"2026-11-29T00:00:00Z\",\"usage\":[],\"x\":1}",
      "422 unknown_field"),
    put(
      "customers/u/consent", "{\"consented\":true,\"at\":\"2026-11-30T01:00:00+01:00\"}",
      "consent u true 2026-11-30T00:00:00.000000Z"),
    put(
      "customers/u/consent", "{\"consented\":false}",
      "consent u false 2026-11-30T00:00:00.000000Z"),
    put("customers/u/consent", "{\"consented\":1}", "422 invalid_consent"),
    put("customers/u/consent", "{\"consented\":true,\"at\":5}", "422 invalid_time"),
    put(
      "customers/u/consent", "{\"consented\":true,\"at\":\"2026-11-30T00:05:01Z\"}",
      "422 time_in_future"),
  ]

  /// A call in one line.
  static func summary(of call: RoutedCall) -> String {
    switch call {
    case .events(let content): "events \(content)"
    case .health: "health"
    case .readiness: "readiness"
    case .page: "page"
    case .metrics(let format): "metrics \(format)"
    case .command(let command): summary(of: command)
    case .signed(.transaction(let jws)): "signed transaction \(jws)"
    case .signed(.notification(let jws)): "signed notification \(jws)"
    case .question(let question): summary(of: question)
    case .answer(let response):
      [
        SidecarTests.summary(response), response.header("Allow"), response.header("Accept"),
        response.header("Accept-Encoding"),
      ].compactMap { $0 }.joined(separator: " ")
    }
  }

  private static func summary(of command: Command) -> String {
    switch command {
    case .putTransaction(let id, let payload): "put \(id) \(payload.productId?.string ?? "-")"
    case .putSigned(let id, let payload): "signed \(id) \(payload.productId?.string ?? "-")"
    case .notify(let notification): "notify \(notification.id) \(notification.type)"
    case .putOpening(let id, let until, let usage): "opening \(id) \(until) \(usage)"
    case .putDelivery(let id, let status): "delivery \(id) \(status.name)"
    case .putCustomer(let id, let customer): "customer \(id) \(customer)"
    case .putAllowance(let id, let allowances):
      (["allowance \(id)"]
        + allowances.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        .joined(separator: " ")
    case .putConsent(let customer, let consented, let at):
      "consent \(customer) \(consented) \(at)"
    case .openCase(let id, let request):
      "case \(id) \(request.reason?.string ?? "-") \(request.receivedAt)"
    case .claimCase(let id, let responder, let seconds):
      "claim \(id.transaction) \(id.number) \(responder) \(seconds)"
    case .answerCase(let id, let report):
      [
        "answer \(id.transaction) \(id.number)", report.sent?.string ?? "-",
        report.preference?.string ?? "-", report.httpStatus.map(String.init) ?? "-",
        report.errorCode.map(String.init) ?? "-", report.at?.description ?? "-",
      ].joined(separator: " ")
    }
  }

  private static func summary(of question: Question) -> String {
    switch question {
    case .transaction(let id): return "transaction \(id)"
    case .consumption(let id): return "consumption \(id)"
    case .customer(let customer): return "customer \(customer)"
    case .subscription(let id): return "subscription \(id)"
    case .transactions(let page):
      let texts = [page.state?.name, page.customer?.string, "\(page.limit)", page.after?.string]
      return "page " + texts.map { $0 ?? "-" }.joined(separator: " ")
    case .cases(let cases):
      let texts = [
        cases.state?.rawValue, "\(cases.limit)", "\(cases.waitSeconds)", cases.known?.string,
        cases.place.map { "\($0.respondBy) \($0.id.text)" },
      ]
      return "cases " + texts.map { $0 ?? "-" }.joined(separator: " ")
    case .atRisk(let page):
      let place = page.place.map { "\($0.rank.order) \($0.transactionId)" }
      return "at risk \(page.limit) \(place ?? "-")"
    case .costs(let costs):
      let dimensions = costs.groupBy.map(\.rawValue).joined(separator: ",")
      let environments = costs.environments.sorted().map(\.string).joined(separator: ",")
      return "costs \(text(costs.from)) \(text(costs.to)) \(costs.window) \(dimensions) "
        + "\(environments) \(costs.format)"
    }
  }

  private static func text(_ bound: CostsQuestion.Bound) -> String {
    switch bound {
    case .date(let year, let month, let day): "\(year)-\(month)-\(day)"
    case .instant(let instant): "\(instant)"
    }
  }
}
