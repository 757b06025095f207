import Metering
import Testing

@Suite struct EventMeaningTests {
  static func event(_ quantity: String, _ rest: String = "") -> DecodedText {
    .decode(
      #"{"id":"1","source":"a","transactionId":"t","meter":"m","quantity":\#(quantity)\#(rest)}"#)
  }

  /// The same content however it is written.
  @Test(arguments: ["4000", "4e3", "\"4000.0\"", "\"4000\"", "40000e-1", "4000.0000000000"])
  func sameQuantity(_ text: String) {
    let one = Self.event(text)
    #expect(one.event.fingerprint == Self.event("4000").event.fingerprint)
    #expect(one.readings.first?.quantity == 4000 * Quantity.scale)
  }

  /// MA-04: the same id with other content has the same key and another fingerprint.
  @Test func otherContentHasAnotherFingerprint() {
    let lines = [
      Self.event("10"), Self.event("12"), Self.event("10", #","unit":"k""#),
      Self.event("10", #","unit":"""#), Self.event("10", #","time":"2026-01-01T00:00:00Z""#),
      Self.event("10", #","time":"2026-01-01T00:00:00.000001Z""#),
      Self.event("10", #","customer":"c""#),
      Self.event("10", #","originalTransactionId":"c""#),
      Self.event("10", #","attributes":{"a":"1"}"#),
      Self.event("10", #","attributes":{"a":1}"#), Self.event("10", #","attributes":{"a":true}"#),
      Self.event("10", #","attributes":{"a":"true"}"#),
      Self.event("10", #","attributes":{"a1":""}"#),
      Self.event("10", #","cost":{"amount":1,"currency":"USD"}"#),
      Self.event("10", #","cost":{"amount":1,"currency":"EUR"}"#),
      Self.event("10", #","cost":{"amount":0,"currency":"USD"}"#),
    ]
    #expect(Set(lines.map(\.event.fingerprint)).count == lines.count)
    #expect(Set(lines.map(\.event.key)).count == 1)
  }

  @Test func sameContentHasTheSameFingerprint() {
    let one = Self.event("10", #","attributes":{"b":1.50,"a":"x/é"},"time":"2026-01-01T00:00:00Z""#)
    let other = Self.event(
      "\"1e1\"",
      #" ,"time":"2026-01-01T01:00:00.0000000+01:00", "attributes":{"a":"x\/\u00e9","b":15e-1,"c":null}"#
    )
    let listed = DecodedText.decode(
      #"{"usage":[{"meter":"m","quantity":10,"attributes":{"a":"x/é","b":1.5}}],"time":"2026-01-01T00:00:00Z","id":"1","transactionId":"t"}"#
    )
    #expect(one.event.fingerprint == other.event.fingerprint)
    #expect(one.event.fingerprint == listed.event.fingerprint && one.event.key != listed.event.key)
  }

  @Test func subjectsHaveAnOrder() {
    let all = DecodedText.decode(
      #"{"id":"1","customer":"c","originalTransactionId":"o","transactionId":"t","meter":"m","quantity":1}"#
    )
    #expect(all.event.subjectKind == .transaction)
    #expect(all.texts[..<3] == ["t", "o", "c"])
    let two = DecodedText.decode(
      #"{"id":"1","customer":"c","originalTransactionId":"o","meter":"m","quantity":1}"#)
    #expect(two.event.subjectKind == .chain && two.texts[..<3] == ["o", "", "c"])
    #expect(two.event.subjectHash == HashKey(high: 7, low: 9).hash128("o"))
  }

  @Test func voidsAndMarksAreKeyed() {
    let key = HashKey(high: 7, low: 9)
    let void = DecodedText.decode(#"{"id":"2","source":"b","voids":{"source":"a","id":"1"}}"#)
    #expect(void.event.targetKey == Self.event("1").event.key)
    #expect(void.event.key == key.eventKey(source: "b", id: "2"))
    let mark = DecodedText.decode(#"{"source":"a","completeThrough":"1970-01-01T00:00:01Z"}"#)
    #expect(mark.event.key == key.hash128("a") && mark.event.through == 1_000_000)
    let retired = DecodedText.decode(#"{"source":"a","completeThrough":null}"#)
    #expect(retired.event.through == .min && retired.event.key == mark.event.key)
  }

  @Test func rejectionsNameTheirEvent() {
    let event = DecodedText.decode(#"{"id":"x","source":"s","meter":"m","quantity":1}"#)
    #expect(event.texts[3...4] == ["s", "x"] && event.event.readingCount == 0)
    #expect(!event.texts[6].isEmpty)
  }

  static let bodies: [(String, String)] = [
    ("[]", ""), (" [ ] ", ""), (#"{"completeThrough":null}"#, "mark"),
    (
      #"[{"completeThrough":null} , 5,{"a":1,"a":2},{"x":1}]"#,
      "mark invalid_json duplicate_key unknown_field"
    ),
    ("", "malformed 1:1"), ("[", "malformed 1:2"),
    (#"[{"completeThrough":null},]"#, "malformed 1:27"),
    (#"[{"completeThrough":null}] x"#, "malformed 1:28"), ("[{\n\"a\":tru}]", "malformed 2:5"),
    (#"{"completeThrough":null}{}"#, "malformed 1:25"),
  ]

  @Test(arguments: bodies) func body(_ text: String, _ expected: String) {
    let batch = IngestBatch()
    _ = DecodedText.decode(
      Array(#"{"id":"1","customer":"c","meter":"m","quantity":1}"#.utf8), into: batch)
    var decoder = EventDecoder(key: HashKey(high: 7, low: 9))
    let result = Array(text.utf8).withUnsafeBytes { bytes -> String in
      do throws(JSONFault) {
        let count = try decoder.decodeBody(bytes, into: batch)
        let events = (1..<1 + count).map { DecodedText($0, of: batch).verdict }
        return events.joined(separator: " ")
      } catch {
        return batch.events.count == 1 && batch.readings.count == 1
          ? "\(error.kind) \(error.line):\(error.column)" : "left something behind"
      }
    }
    #expect(result == expected)
  }

  @Test func bodiesHoldABoundedNumber() {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: HashKey(high: 7, low: 9))
    let body =
      Array("[".utf8) + Array(repeating: Array("1,".utf8), count: Limits.eventsPerBody).joined()
    let fault = (body + Array("1]".utf8)).withUnsafeBytes { bytes -> JSONFault? in
      do throws(JSONFault) {
        _ = try decoder.decodeBody(bytes, into: batch)
        return nil
      } catch { return error }
    }
    #expect(fault?.kind == .tooMany && batch.events.isEmpty)
  }
}
