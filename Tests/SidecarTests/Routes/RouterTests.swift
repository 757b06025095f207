import Metering
import Sidecar
import Testing
import Wire

@Suite("Routes")
struct RouterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var method: String
    var target: String
    var headers: [String] = []
    var body = ""
    var expected: String
    var testDescription: String { "\(method) \(target) \(headers) \(body.prefix(40))" }
  }

  @Test("name the call or the fault", arguments: paths + types + parameters + bodies + cases)
  func route(_ row: Case) throws {
    let request = try #require(makeRequest(row.method, row.target, row.headers, body: row.body))
    let router = Router(configuration: testConfiguration())
    let call = router.route(request, now: at("2026-11-30T00:00:00Z"))
    #expect(Self.summary(of: call) == row.expected)
  }

  @Test(
    "the metrics listener tells nothing of a purchase",
    arguments: [
      ("GET", "/metrics", "metrics text004"), ("HEAD", "/healthz", "health"),
      ("GET", "/readyz", "readiness"), ("GET", "/v1/transactions/7", "404 unknown_path"),
      ("POST", "/v1/events", "404 unknown_path"), ("GET", "/", "404 unknown_path"),
      ("PUT", "/metrics", "405 method_not_allowed GET, HEAD"),
    ])
  func listener(_ method: String, _ target: String, _ expected: String) throws {
    let request = try #require(makeRequest(method, target))
    #expect(Self.summary(of: Router.routeMetrics(request, isForThisMachine: false)) == expected)
  }

  @Test(
    "the page is on the sidecar's listener",
    arguments: [
      ("GET", "/", "421"), ("POST", "/", "405 method_not_allowed GET, HEAD"),
      ("GET", "/metrics", "metrics text004"), ("GET", "/index.html", "404 unknown_path"),
    ])
  func page(_ method: String, _ target: String, _ expected: String) throws {
    let request = try #require(makeRequest(method, target))
    let call = Router.routeMetricsAndPage(request, isForThisMachine: false)
    #expect(Self.summary(of: call) == expected)
  }

  @Test(
    "metrics for this machine are told under its own names",
    arguments: [
      ("/metrics", "evil.example", "421"), ("/metrics", "127.0.0.1.evil.example:9469", "421"),
      ("/metrics", "192.0.2.1:9469", "421"), ("/metrics", "localhost:9469", "metrics text004"),
      ("/metrics", "[::1]:9469", "metrics text004"), ("/metrics", "127.0.0.1", "metrics text004"),
      ("/", "evil.example", "421"), ("/", "localhost", "page"), ("/healthz", "evil", "health"),
    ])
  func foreignHost(_ target: String, _ host: String, _ expected: String) throws {
    let request = try #require(makeRequest("GET", target, host: host))
    let call = Router.routeMetricsAndPage(request, isForThisMachine: true)
    #expect(Self.summary(of: call) == expected)
  }

  @Test(
    "a body's bound is known from its head",
    arguments: [
      ("POST", "/v1/events", 16 << 20), ("PUT", "/v1/transactions/1", 64 << 10),
      ("POST", "/v1/notifications", 64 << 10), ("POST", "/nothing", 64 << 10),
    ])
  func bodyLimits(_ method: String, _ target: String, _ expected: Int) throws {
    let request = try #require(makeRequest(method, target))
    #expect(Router.bodyLimit(of: request.head) == expected)
  }

  static let paths: [Case] = [
    Case(method: "POST", target: "/v1/events", expected: "events json"),
    Case(method: "GET", target: "/healthz", expected: "health"),
    Case(method: "HEAD", target: "/readyz", expected: "readiness"),
    Case(method: "GET", target: "/metrics", expected: "metrics text004"),
    Case(method: "POST", target: "/metrics", expected: "405 method_not_allowed GET, HEAD"),
    Case(method: "GET", target: "/v1/events", expected: "405 method_not_allowed POST"),
    Case(
      method: "DELETE", target: "/v1/transactions/1",
      expected: "405 method_not_allowed GET, HEAD, PUT"),
    Case(method: "GET", target: "/", expected: "404 unknown_path"),
    Case(method: "GET", target: "/v2/costs", expected: "404 unknown_path"),
    Case(method: "GET", target: "/v1", expected: "404 unknown_path"),
    Case(method: "GET", target: "/v1/transactions/1/nothing", expected: "404 unknown_path"),
    Case(method: "GET", target: "/v1/transactions/1/2/3", expected: "404 unknown_path"),
    Case(method: "PUT", target: "/v1/customers/a/b", expected: "404 unknown_path"),
    Case(method: "GET", target: "/v1/transactions/7", expected: "transaction 7"),
    Case(method: "GET", target: "/v1/transactions/a%2Fb%20c", expected: "transaction a/b c"),
    Case(method: "GET", target: "/v1/transactions/a%00", expected: "400 invalid_id"),
    Case(method: "GET", target: "/v1/transactions/", expected: "400 invalid_id"),
    Case(
      method: "GET", target: "/v1/transactions/" + String(repeating: "x", count: 256),
      expected: "transaction " + String(repeating: "x", count: 256)),
    Case(
      method: "GET", target: "/v1/transactions/" + String(repeating: "x", count: 257),
      expected: "400 invalid_id"),
    Case(method: "GET", target: "/v1/transactions/7/consumption", expected: "consumption 7"),
    Case(method: "GET", target: "/v1/customers/u", expected: "customer u"),
    Case(method: "GET", target: "/v1/subscriptions/7", expected: "subscription 7"),
    Case(method: "POST", target: "/v1/transactions", expected: "501 not_configured"),
    Case(method: "POST", target: "/v1/notifications", expected: "501 not_configured"),
    Case(method: "PUT", target: "/v1/transactions/7/opening", expected: "400 invalid_json"),
    Case(method: "POST", target: "/v1/refund-requests/c/claim", expected: "404 unknown_case"),
    Case(
      method: "GET", target: "/v1/refund-requests/c/claim",
      expected: "405 method_not_allowed POST"),
  ]

  static let types: [Case] = [
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Type: Application/JSON ; a=b"],
      expected: "events json"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Type: application/x-ndjson"],
      expected: "events ndjson"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Type: text/plain"],
      expected: "415 unsupported_media_type application/json, application/x-ndjson"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Type: "],
      expected: "415 unsupported_media_type application/json, application/x-ndjson"),
    Case(
      method: "POST", target: "/v1/events",
      headers: ["Content-Type: application/json", "Content-Type: application/x-ndjson"],
      expected: "400 invalid_header"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Encoding: gzip"],
      expected: "415 unsupported_content_encoding identity"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Encoding: identity, br"],
      expected: "415 unsupported_content_encoding identity"),
    Case(
      method: "POST", target: "/v1/events", headers: ["Content-Encoding: Identity"],
      expected: "events json"),
    Case(
      method: "PUT", target: "/v1/transactions/7/customer", headers: ["Content-Encoding: zstd"],
      body: "{\"customer\":\"u\"}", expected: "415 unsupported_content_encoding identity"),
    Case(
      method: "PUT", target: "/v1/transactions/7/customer", headers: ["Content-Type: text/xml"],
      body: "{\"customer\":\"u\"}", expected: "415 unsupported_media_type application/json"),
  ]

  private static let risky = PageCursor.encode(
    RiskPlace(rank: RiskRank(order: 77), transactionId: "a:b"))

  static let parameters: [Case] = [
    Case(method: "GET", target: "/v1/at-risk", expected: "at risk 100 -"),
    Case(
      method: "GET", target: "/v1/at-risk?limit=7&cursor=\(risky)", expected: "at risk 7 77 a:b"),
    Case(method: "GET", target: "/v1/at-risk?limit=0", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/at-risk?cursor=Nw", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/at-risk?state=open", expected: "400 unknown_parameter"),
    Case(
      method: "POST", target: "/v1/at-risk", expected: "405 method_not_allowed GET, HEAD"),
    Case(
      method: "GET", target: "/v1/transactions?state=active&customer=u&limit=1000&cursor=Nw",
      expected: "page active u 1000 7"),
    Case(method: "GET", target: "/v1/transactions", expected: "page - - 100 -"),
    Case(method: "GET", target: "/v1/transactions?limit=1001", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?limit=0", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?limit=1x", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?state=new", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?cursor=N", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?cursor=%21", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?customer=", expected: "400 invalid_id"),
    Case(
      method: "GET", target: "/v1/transactions?limit=1&limit=2", expected: "400 invalid_parameter"),
    Case(method: "GET", target: "/v1/transactions?stat=x", expected: "400 unknown_parameter"),
    Case(method: "GET", target: "/v1/transactions/7?a=b", expected: "400 unknown_parameter"),
    Case(method: "GET", target: "/v1/costs?to=2026-01-01", expected: "400 missing_parameter"),
    Case(method: "GET", target: "/v1/costs?from=2026-01-01", expected: "400 missing_parameter"),
    Case(
      method: "GET", target: "/v1/costs?from=2026-02-30&to=2026-03-01",
      expected: "400 invalid_parameter"),
    Case(
      method: "GET", target: "/v1/costs?from=2026-01-01&to=2026-03-01&window=week",
      expected: "400 invalid_parameter"),
    Case(
      method: "GET", target: "/v1/costs?from=2026-01-01&to=2026-03-01&groupBy=meter,meter",
      expected: "400 invalid_parameter"),
    Case(
      method: "GET", target: "/v1/costs?from=2026-01-01&to=2026-03-01&environment=production",
      expected: "400 invalid_parameter"),
    Case(
      method: "GET",
      target: "/v1/costs?from=2026-01-01&to=2026-03-01T00:00:00+01:00&window=month"
        + "&groupBy=product,meter&environment=Sandbox",
      headers: ["Accept: text/csv"],
      expected: "costs 2026-1-1 2026-02-28T23:00:00.000000Z month product,meter Sandbox csv"),
    Case(
      method: "GET", target: "/v1/costs?from=2026-01-01&to=2026-03-01", headers: ["Accept: */*"],
      expected: "costs 2026-1-1 2026-3-1 day meter,product Production,unknown json"),
  ]
}
