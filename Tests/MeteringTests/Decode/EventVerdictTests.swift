import Metering
import Testing

@Suite struct EventVerdictTests {
  static let long = String(repeating: "x", count: 257)
  static let full = String(repeating: "x", count: 256)
  /// An event in order around the part under test.
  static func usage(_ rest: String) -> String { #"{"id":"1","customer":"c",\#(rest)}"# }
  static func reading(_ rest: String) -> String { usage(#""meter":"m","quantity":1,\#(rest)"#) }
  static func quantity(_ text: String) -> String { usage(#""meter":"m","quantity":\#(text)"#) }
  static func many(_ count: Int, _ text: (Int) -> String) -> String {
    (0..<count).map(text).joined(separator: ",")
  }

  static let shape: [(String, String)] = [
    (reading(#""time":null,"unit":null,"cost":null,"attributes":null,"source":null"#), "ok"),
    ("", "invalid_json"), ("null", "invalid_json"), ("[]", "invalid_json"), ("{", "invalid_json"),
    (reading(#""a":1"#) + "x", "invalid_json"), ("{}", "missing_id"),
    (reading(#""a":1"#), "unknown_field"), (reading(#""a":null"#), "unknown_field"),
    (reading(#""id":"1""#), "duplicate_key"), (reading(#""\u0069d":"1""#), "duplicate_key"),
    (reading(#""id":"1","a":1"#), "duplicate_key"),
    (usage(#""meter":5,"quantity":1"#), "invalid_json"), (usage(#""quantity":1"#), "invalid_json"),
    (reading(#""unit":1"#), "invalid_json"), (reading(#""unit":"\#(long)""#), "unknown_unit"),
    (usage(#""meter":"\#(long)","quantity":1"#), "unknown_meter"),
    (usage(#""usage":[]"#), "invalid_json"), (usage(#""usage":{}"#), "invalid_json"),
    (usage(#""usage":[1]"#), "invalid_json"), (reading(#""usage":[{}]"#), "invalid_json"),
    (usage(#""usage":[{"meter":"m","quantity":1,"id":"1"}]"#), "unknown_field"),
    (usage(#""usage":[\#(many(64) { _ in #"{"meter":"m","quantity":1}"# })]"#), "ok"),
    (usage(#""usage":[\#(many(65) { _ in #"{"meter":"m","quantity":1}"# })]"#), "invalid_json"),
  ]

  static let names: [(String, String)] = [
    (#"{"id":"","customer":"c","meter":"m","quantity":1}"#, "invalid_id"),
    (#"{"customer":"c","meter":"m","quantity":1}"#, "missing_id"),
    (#"{"id":null,"customer":"c","meter":"m","quantity":1}"#, "missing_id"),
    (#"{"id":5,"customer":"c","meter":"m","quantity":1}"#, "invalid_id"),
    (#"{"id":"a\u0000","customer":"c","meter":"m","quantity":1}"#, "invalid_id"),
    ("{\"id\":\"a\u{7F}\",\"customer\":\"c\",\"meter\":\"m\",\"quantity\":1}", "invalid_id"),
    ("{\"id\":\"a\u{85}\",\"customer\":\"c\",\"meter\":\"m\",\"quantity\":1}", "invalid_id"),
    (#"{"id":"é ü","customer":"c","meter":"m","quantity":1}"#, "ok"),
    (#"{"id":"\#(full)","customer":"c","meter":"m","quantity":1}"#, "ok"),
    (#"{"id":"\#(long)","customer":"c","meter":"m","quantity":1}"#, "invalid_id"),
    (reading(#""source":"""#), "ok"), (reading(#""source":"\n""#), "invalid_id"),
    (reading(#""source":7"#), "invalid_id"),
    (#"{"id":"1","meter":"m","quantity":1}"#, "missing_subject"),
    (#"{"id":"1","customer":null,"meter":"m","quantity":1}"#, "missing_subject"),
    (#"{"id":"1","customer":"","meter":"m","quantity":1}"#, "invalid_subject"),
    (reading(#""transactionId":7"#), "invalid_subject"),
    (reading(#""originalTransactionId":"\#(long)""#), "invalid_subject"),
    (reading(#""time":"2026-11-30T02:21:39Z""#), "ok"),
    (reading(#""time":"2026-11-30T02:21:39""#), "invalid_time"),
    (reading(#""time":1764469299"#), "invalid_time"), (reading(#""time":"""#), "invalid_time"),
  ]

  static let quantities: [(String, String)] = [
    (usage(#""meter":"m""#), "missing_quantity"), (quantity("null"), "missing_quantity"),
    (quantity(#""NaN""#), "invalid_quantity"), (quantity(#""Infinity""#), "invalid_quantity"),
    (quantity("1e999"), "invalid_quantity"), (quantity(#""1e999""#), "invalid_quantity"),
    (quantity("NaN"), "invalid_json"), (quantity("true"), "invalid_quantity"),
    (quantity(#""""#), "invalid_quantity"), (quantity(#"" 1""#), "invalid_quantity"),
    (quantity("-5"), "negative_quantity"), (quantity(#""-0.1""#), "negative_quantity"),
    (quantity("-1e-12"), "negative_quantity"), (quantity("-0"), "ok"), (quantity("0"), "ok"),
    (quantity("999999999999999999.999999999"), "ok"), (quantity("1e18"), "invalid_quantity"),
    (quantity(#""0.1234567891""#), "invalid_quantity"), (quantity("0.1234567891"), "ok"),
    (quantity("007"), "invalid_json"), (quantity("1."), "invalid_json"),
    (quantity("1x"), "invalid_json"),
  ]

  static let extras: [(String, String)] = [
    (reading(#""attributes":{}"#), "ok"), (reading(#""attributes":[]"#), "invalid_attributes"),
    (reading(#""attributes":{"a":[]}"#), "invalid_attributes"),
    (reading(#""attributes":{"a":{}}"#), "invalid_attributes"),
    (reading(#""attributes":{"a":1,"a":null}"#), "duplicate_key"),
    (reading(#""attributes":{"a":true,"b":false,"c":null,"":"","d":-1.50e2}"#), "ok"),
    (reading(#""attributes":{"\#(long)":1}"#), "invalid_attributes"),
    (reading(#""attributes":{"a":"\#(long)"}"#), "invalid_attributes"),
    (reading(#""attributes":{"a":"\#(full)"}"#), "ok"),
    (reading(#""attributes":{"a":1e255}"#), "ok"),
    (reading(#""attributes":{"a":1e256}"#), "invalid_attributes"),
    (reading(#""attributes":{\#(many(16) { "\"\($0)\":1" })}"#), "ok"),
    (reading(#""attributes":{\#(many(16) { "\"\($0)\":1" }),"x":null}"#), "ok"),
    (reading(#""attributes":{\#(many(17) { "\"\($0)\":1" })}"#), "invalid_attributes"),
    (reading(#""cost":{"amount":"0.0123","currency":"USD"}"#), "ok"),
    (reading(#""cost":{"amount":0.1234567890123456,"currency":"USD"}"#), "ok"),
    (reading(#""cost":{"amount":"0.1234567890123456","currency":"USD"}"#), "invalid_cost"),
    (reading(#""cost":{"amount":"-1","currency":"USD"}"#), "invalid_cost"),
    (reading(#""cost":{"amount":"1","currency":"usd"}"#), "invalid_cost"),
    (reading(#""cost":{"amount":"1"}"#), "invalid_cost"), (reading(#""cost":5"#), "invalid_cost"),
    (reading(#""cost":{"amount":"1","currency":"USD","x":1}"#), "unknown_field"),
    (reading(#""cost":{"amount":"1","amount":"1","currency":"USD"}"#), "duplicate_key"),
  ]

  static let others: [(String, String)] = [
    (#"{"id":"2","voids":{"id":"1"}}"#, "void"),
    (#"{"id":"2","source":"s","voids":{"source":"s","id":"1"},"time":null}"#, "void"),
    (#"{"voids":{"id":"1"}}"#, "missing_id"), (#"{"id":"2","voids":{}}"#, "missing_id"),
    (#"{"id":"2","voids":{"id":""}}"#, "invalid_id"), (#"{"id":"2","voids":"1"}"#, "invalid_json"),
    (#"{"id":"2","voids":{"id":"1","x":1}}"#, "unknown_field"),
    (#"{"id":"2","voids":{"id":"1"},"customer":"c"}"#, "unknown_field"),
    (#"{"source":"s","completeThrough":"2026-01-01T00:00:00Z"}"#, "mark"),
    (#"{"completeThrough":null}"#, "mark"), (#"{"completeThrough":"x"}"#, "invalid_time"),
    (#"{"id":"1","completeThrough":null}"#, "unknown_field"),
    (#"{"id":"1","completeThrough":null,"voids":{"id":"1"}}"#, "unknown_field"),
  ]

  @Test(arguments: shape + names + quantities + extras + others)
  func verdict(_ line: String, _ expected: String) {
    #expect(DecodedText.decode(line).verdict == expected)
  }

  /// The first fault in order of meaning wins, whatever the order of keys.
  @Test func orderOfKeysIsNothing() {
    let faults: [(String, String)] = [
      (#""x":1"#, "unknown_field"), (#""id":"""#, "invalid_id"),
      (#""customer":"""#, "invalid_subject"),
      (#""time":"""#, "invalid_time"), (#""quantity":-1"#, "negative_quantity"),
      (#""attributes":[]"#, "invalid_attributes"), (#""cost":[]"#, "invalid_cost"),
    ]
    var wrong: [String] = []
    for first in faults.indices {
      let fields =
        faults[first...].map(\.0) + [#""meter":"m""#]
        + (first > 1 ? [#""id":"1""#] : []) + (first > 2 ? [#""customer":"c""#] : [])
        + (first > 4 ? [#""quantity":1"#] : [])
      for order in [fields, fields.reversed(), Array(fields[2...] + fields[..<2])] {
        let line = "{" + order.joined(separator: ",") + "}"
        if DecodedText.decode(line).verdict != faults[first].1 { wrong.append(line) }
      }
    }
    #expect(wrong == [])
  }

  @Test func everyCodeHasTheContractsName() {
    #expect(
      RejectionCode.allCases.map(\.name).joined(separator: " ") == """
        invalid_json duplicate_key unknown_field missing_id invalid_id missing_subject \
        invalid_subject invalid_time time_in_future too_old before_opening unknown_meter \
        unknown_unit unknown_type missing_quantity invalid_quantity negative_quantity overflow \
        invalid_attributes invalid_cost too_large void_unknown too_many_sources
        """)
  }
}
