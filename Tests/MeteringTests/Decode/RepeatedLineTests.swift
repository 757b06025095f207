import Metering
import Testing

/// The decoder remembers shapes and days: lines that resemble those before must mean the same as
/// alone.
@Suite struct RepeatedLineTests {
  /// Decodes lines into one batch, once more in reverse, and compares each with the careful
  /// decoder's result for it alone.
  private func check(_ lines: [String], emptyingBetween: Bool = false) {
    let batch = IngestBatch()
    for line in lines + lines.reversed() {
      if emptyingBetween { batch.removeAll() }
      let one = DecodedText.decode(Array(line.utf8), into: batch)
      let other = DecodedText.decode(Array(line.utf8), isAlwaysCareful: true)
      #expect(one == other, "\(line)")
    }
    for (index, line) in (lines + lines.reversed()).enumerated() where !emptyingBetween {
      // Later lines don't change what earlier ones said.
      let other = DecodedText.decode(Array(line.utf8), isAlwaysCareful: true)
      #expect(DecodedText(index, of: batch) == other, "\(line)")
    }
  }

  private func event(_ rest: String) -> String {
    #"{"id":"a","transactionId":"1","quantity":1,"# + rest + "}"
  }

  @Test(arguments: [
    // The same text, another meter; a meter that begins alike; other spelling, order and blanks.
    [
      #""meter":"m","attributes":{"k":"v","l":"w"}"#,
      #""meter":"n","attributes":{"k":"v","l":"w"}"#,
      #""meter":"m","attributes":{"l":"w","k":"v"}"#,
      #""meter":"m","attributes": { "k" : "v" , "l":"w"} "#,
      #""meter":"m","attributes":{"k":"\u0076","l":"w"}"#,
      #""attributes":{"k":"v","l":"w"},"meter":"m""#,
      #""meter":"\u006d","attributes":{"k":"v","l":"w"}"#,
    ],
    [
      #""meter":"abcdefgh1","attributes":{"k":1}"#, #""meter":"abcdefgh2","attributes":{"k":1}"#,
      #""meter":"abcdefgh","attributes":{"k":1}"#, #""meter":"abcdefgh1","attributes":{"k":1.0}"#,
      #""meter":"abcdefgh1","attributes":{"k":"1"}"#,
    ],
    // A unit or none.
    [
      #""meter":"m","unit":"s","attributes":{"k":"v"}"#, #""meter":"m","attributes":{"k":"v"}"#,
      #""meter":"m","unit":"","attributes":{"k":"v"}"#,
      #""meter":"m","attributes":{"k":"v"},"unit":"s""#,
      #""meter":"m","unit":null,"attributes":{"k":"v"}"#,
    ],
    // No attributes in several ways.
    [
      #""meter":"m""#, #""meter":"m","attributes":{}"#, #""meter":"m","attributes":null"#,
      #""meter":"m","attributes":{ }"#, #""meter":"m","attributes":{"k":null}"#,
      #""meter":"m","attributes":{"k":""}"#,
    ],
    // A closing brace in a string isn't the attributes'.
    [
      #""meter":"m","attributes":{"k":"}"}"#,
      #""meter":"m","attributes":{"k":"/a/{{id}}","l":"v"}"#,
      #""meter":"m","attributes":{"k":"a},\"b"}"#, #""meter":"m","attributes":{"}":"v"}"#,
      #""meter":"m","attributes":{"k":"/a/{{id}}","k":"v"}"#,
    ],
    // What is wrong stays wrong, and what is right stays right beside it.
    [
      #""meter":"m","attributes":{"k":"v"}"#, #""meter":"m","attributes":{"k":"v","k":"v"}"#,
      #""meter":"m","attributes":{"k":"v",}"#, #""meter":"m","attributes":{"k":["v"]}"#,
      #""meter":"m","attributes":{"k":{"l":"v"}}"#, #""meter":"m","attributes":{"k":"v"}}"#,
      #""meter":"m","attributes":{"k":"v"},"attributes":{"k":"v"}"#,
      #""meter":"m","attributes":{"k":"v""#, #""meter":"m","attributes":{"k":tru}"#,
      #""attributes":{"k":"v"}"#, #""meter":"m","attributes":{k:"v"}"#,
    ],
    // Several readings in one event.
    [
      #""meter":"m","attributes":{"k":"v"}"#
    ],
  ])
  func shapesStayApart(_ rests: [String]) {
    let lines = rests.map { event($0) }
    check(lines)
    check(lines, emptyingBetween: true)
    // The same readings within one event.
    let readings = rests.map { "{\"quantity\":1,\($0)}" }
    let usage = readings.map { #"{"id":"a","customer":"c","usage":[\#($0)]}"# }
    check(
      usage + [#"{"id":"a","customer":"c","usage":[\#(readings.joined(separator: ","))]}"#] + lines)
  }

  /// More shapes than are remembered.
  @Test func shapesGiveWay() {
    let lines = (0..<400).map { number in
      event(
        "\"meter\":\"m\(number % 7)\",\"attributes\":{\"k\":\"v\(number)\",\"l\":\(number % 3)}")
    }
    check(lines + lines.shuffledBySeed())
  }

  /// A rejected line takes its text back; what lies there afterwards is other text.
  @Test func rejectedLinesTakeTheirShapesAlong() {
    let good = event(#""meter":"m","attributes":{"k":"v"}"#)
    let refused = [
      #"{"id":"","transactionId":"1","quantity":1,"meter":"m","attributes":{"k":"w"}}"#,
      #"{"id":"a","customer":"c","usage":[{"meter":"m","quantity":1,"attributes":{"k":"w"}},{}]}"#,
    ]
    check([good, refused[0], good, refused[1], good, event(#""meter":"m","attributes":{"k":"w"}"#)])
  }

  @Test(arguments: [
    [
      "2026-11-30T02:21:39.123Z", "2026-11-30T23:59:59.999999Z", "2026-11-30T00:00:00Z",
      "2026-11-30T24:00:00Z", "2026-11-30T23:60:00.000Z", "2026-11-30T23:59:60.000Z",
      "2026-11-30T2a:00:00.000Z", "2026-11-30T02:21:39.12aZ", "2026-11-30T02:21:39.12345aZ",
      "2026-11-30T02-21:39.123Z", "2026-11-30T02:21:39,123Z", "2026-11-30T02:21:39.Z",
      "2026-11-30T02:21:39.1Z", "2026-11-30T02:21:39.123456789Z", "2026-11-30T02:21:39.123z",
      "2026-11-30T02:21:39.123", "2026-11-30T02:21:39.123Zx", "2026-11-30T02:21:39.123456Zx",
      "2026-11-30T02:21:39Zx", "2026-11-30T02:21:39.123+00:00", "2026-11-30T02:21:39.123+05:30",
      "2026-11-30t02:21:39.123Z", "2026-11-30 02:21:39.123Z", #"2026-11-30T02:21:39.123\u005a"#,
    ],
    // A date of another offset isn't the day in UTC.
    ["2026-11-30T23:30:00.000-02:00", "2026-11-30T23:30:00.000Z", "2026-11-30T00:30:00.000+02:00"],
    // Days that share a place.
    [
      "2026-10-30T02:21:39.123Z", "2026-11-30T02:21:39.123Z", "2025-11-30T02:21:39.123Z",
      "2026-02-30T02:21:39.123Z", "2024-02-29T02:21:39.123Z", "2026-02-29T02:21:39.123Z",
    ],
    // The first and the last day.
    [
      "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000+00:01", "9999-12-31T23:59:59.999999Z",
      "9999-12-31T23:59:59.000-00:01", "0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z",
    ],
  ])
  func daysStayApart(_ times: [String]) {
    let lines = times.map { event("\"meter\":\"m\",\"time\":\"\($0)\"") }
    check(lines)
    check(lines, emptyingBetween: true)
  }
}

extension [String] {
  /// The same lines in another order, always the same one.
  fileprivate func shuffledBySeed() -> [String] {
    var random = SeededGenerator(state: 11)
    return shuffled(using: &random)
  }
}
