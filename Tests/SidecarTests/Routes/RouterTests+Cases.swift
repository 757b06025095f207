import Metering
import Sidecar

extension RouterTests {
  private static func get(_ query: String, _ expected: String) -> Case {
    Case(method: "GET", target: "/v1/refund-requests\(query)", expected: expected)
  }

  private static func post(_ path: String, _ body: String, _ expected: String) -> Case {
    Case(method: "POST", target: "/v1/\(path)", body: body, expected: expected)
  }

  private static let place = PageCursor.encode(
    CasePlace(
      respondBy: at("2026-11-30T12:00:00Z"), id: CaseID(transaction: "a:b", number: 12)))

  static let cases: [Case] = [
    get("", "cases - 100 0 - -"),
    get("?state=open&wait=30&after=00ff&limit=5", "cases open 5 30 00ff -"),
    get("?state=lapsed&cursor=\(place)", "cases lapsed 100 0 - 2026-11-30T12:00:00.000000Z a:b:12"),
    get("?state=closed", "400 invalid_parameter"), get("?state=", "400 invalid_parameter"),
    get("?wait=61", "400 invalid_parameter"), get("?wait=60", "cases - 100 60 - -"),
    get("?wait=-1", "400 invalid_parameter"), get("?wait=1.5", "400 invalid_parameter"),
    get("?limit=0", "400 invalid_parameter"), get("?limit=1001", "400 invalid_parameter"),
    get("?cursor=Nw", "400 invalid_parameter"), get("?after=", "400 invalid_parameter"),
    get("?reason=LEGAL", "400 unknown_parameter"), get("/7:1", "404 unknown_path"),
    Case(
      method: "POST", target: "/v1/refund-requests", expected: "405 method_not_allowed GET, HEAD"),
    Case(
      method: "PUT", target: "/v1/transactions/7/refund-request",
      expected: "405 method_not_allowed POST"),
    Case(
      method: "GET", target: "/v1/refund-requests/7:1/response",
      expected: "405 method_not_allowed POST"),
    Case(
      method: "POST", target: "/v1/transactions/7/refund-request",
      headers: ["Content-Type: text/plain"], body: "{}",
      expected: "415 unsupported_media_type application/json"),
    post("transactions/7/refund-request", "{}", "case 7 - 2026-11-30T00:00:00.000000Z"),
    post(
      "transactions/7/refund-request",
      #"{"consumptionRequestReason":"LEGAL","receivedAt":"2026-11-29T01:00:00+01:00"}"#,
      "case 7 LEGAL 2026-11-29T00:00:00.000000Z"),
    post(
      "transactions/7/refund-request", #"{"consumptionRequestReason":"NEW_ONE"}"#,
      "case 7 NEW_ONE 2026-11-30T00:00:00.000000Z"),
    post(
      "transactions/7/refund-request", #"{"consumptionRequestReason":null,"receivedAt":null}"#,
      "case 7 - 2026-11-30T00:00:00.000000Z"),
    post(
      "transactions/7/refund-request",
      #"{"consumptionRequestReason":"\#(String(repeating: "X", count: 64))"}"#,
      "case 7 \(String(repeating: "X", count: 64)) 2026-11-30T00:00:00.000000Z"),
    post(
      "transactions/7/refund-request",
      #"{"consumptionRequestReason":"\#(String(repeating: "X", count: 65))"}"#,
      "422 invalid_reason"),
    post(
      "transactions/7/refund-request", #"{"consumptionRequestReason":""}"#, "422 invalid_reason"),
    post("transactions/7/refund-request", #"{"consumptionRequestReason":1}"#, "422 invalid_reason"),
    post("transactions/7/refund-request", #"{"receivedAt":1}"#, "422 invalid_time"),
    post(
      "transactions/7/refund-request", #"{"receivedAt":"2026-11-30T00:05:01Z"}"#,
      "422 time_in_future"),
    post("transactions/7/refund-request", #"{"reason":"LEGAL"}"#, "422 unknown_field"),
    post("transactions/7/refund-request", "", "400 invalid_json"),
    post("transactions/7/refund-request?a=b", "{}", "400 unknown_parameter"),
    post("refund-requests/7:1/claim", #"{"responder":"r"}"#, "claim 7 1 r 60"),
    post("refund-requests/a:b:12/claim", #"{"responder":"r","seconds":5}"#, "claim a:b 12 r 5"),
    post("refund-requests/7:0/claim", #"{"responder":"r"}"#, "404 unknown_case"),
    post("refund-requests/7:01/claim", #"{"responder":"r"}"#, "404 unknown_case"),
    post("refund-requests/7/claim", #"{"responder":"r"}"#, "404 unknown_case"),
    post("refund-requests/:1/claim", #"{"responder":"r"}"#, "404 unknown_case"),
    post("refund-requests/7:1/claim", #"{"seconds":5}"#, "422 invalid_claim"),
    post("refund-requests/7:1/claim", #"{"responder":"r","seconds":0}"#, "422 invalid_claim"),
    post("refund-requests/7:1/claim", #"{"responder":"r","seconds":3601}"#, "422 invalid_claim"),
    post("refund-requests/7:1/claim", #"{"responder":"r","seconds":"5"}"#, "422 invalid_claim"),
    post(
      "refund-requests/7:1/response",
      #"{"sent":{"a":1.50, "refundPreference":"DECLINE"},"httpStatus":202,"errorCode":null,"#
        + #""at":"2026-11-30T00:00:00Z"}"#,
      #"answer 7 1 {"a":1.50,"refundPreference":"DECLINE"} DECLINE 202 - "#
        + "2026-11-30T00:00:00.000000Z"),
    post(
      "refund-requests/7:1/response", #"{"sent":null,"httpStatus":null}"#, "answer 7 1 - - - - -"),
    post(
      "refund-requests/7:1/response", #"{"sent":null,"httpStatus":400,"errorCode":4000035}"#,
      "answer 7 1 - - 400 4000035 -"),
    post("refund-requests/7:1/response", #"{"httpStatus":202}"#, "422 invalid_response"),
    post("refund-requests/7:1/response", #"{"sent":null}"#, "422 invalid_response"),
    post("refund-requests/7:1/response", #"{"sent":[],"httpStatus":202}"#, "422 invalid_response"),
    post("refund-requests/7:1/response", #"{"sent":null,"httpStatus":99}"#, "422 invalid_response"),
    post(
      "refund-requests/7:1/response", #"{"sent":null,"httpStatus":"202"}"#, "422 invalid_response"),
    post(
      "refund-requests/7:1/response",
      #"{"sent":{"a":"\#(String(repeating: "x", count: 2_048))"},"httpStatus":202}"#,
      "422 invalid_response"),
    post(
      "refund-requests/7:1/response",
      #"{"sent":null,"httpStatus":202,"at":"2026-11-30T00:05:01Z"}"#, "422 time_in_future"),
  ]
}
