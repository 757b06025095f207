import Metering
import Sidecar
import Testing
import Wire

@Suite("Answers to events")
struct EventsAnswerTests {
  @Test("all good is 200, without stopServing when there is none")
  func good() {
    var answer = EventsAnswer()
    for _ in 0..<3 { answer.count(.accepted) }
    answer.count(.duplicate)
    let body = #"{"accepted":3,"duplicates":1,"conflicts":0,"rejected":0,"results":[]}"# + "\n"
    #expect(answer.response.status == 200)
    #expect(String(decoding: answer.response.body, as: UTF8.self) == body)
  }

  @Test("one bad event is a 422 problem with all figures")
  func bad() {
    var answer = EventsAnswer()
    for verdict in [Verdict.accepted, .conflict, .rejected(.missingId)] { answer.count(verdict) }
    answer.add(
      EventsAnswer.Result(index: 1, id: "a\"\n", fault: .conflict, detail: "Known otherwise."))
    answer.add(
      EventsAnswer.Result(index: 2, id: nil, fault: .rejected(.missingId), detail: "No id."))
    for _ in 0..<2 { answer.add(StopServing(transactionId: "7", customer: nil)) }
    let body =
      #"{"type":"about:blank","title":"Unprocessable Content","status":422,"#
      + #""code":"events_rejected","detail":"Some events were not taken; the others are stored.","#
      + #""accepted":1,"duplicates":0,"conflicts":1,"rejected":1,"results":["#
      + #"{"index":1,"id":"a\"\n","verdict":"conflict","code":"conflict","#
      + #""detail":"Known otherwise."},"#
      + #"{"index":2,"id":null,"verdict":"rejected","code":"missing_id","detail":"No id."}],"#
      + #""stopServing":[{"transactionId":"7","customer":null}]}"# + "\n"
    #expect(summary(answer.response) == "422 events_rejected")
    #expect(String(decoding: answer.response.body, as: UTF8.self) == body)
  }

  @Test("lists are bounded, and say what they lack")
  func bounds() throws {
    var answer = EventsAnswer()
    let count = 30_000
    let detail = String(repeating: "\u{1}", count: Limits.detailBytes)
    for index in 0..<count {
      answer.count(.rejected(.invalidJSON))
      answer.add(
        EventsAnswer.Result(
          index: index, id: nil, fault: .rejected(.invalidJSON), detail: detail))
      answer.add(StopServing(transactionId: ByteString("\(index % 20_000)"), customer: nil))
    }
    let response = answer.response
    let node = try JSONNode.parse(response.body, dialect: .strict)
    let told = try #require(node["results"]?.elements?.count)
    #expect(node["results"]?.elements?.last?["index"]?.integer == Int64(told - 1))
    #expect(node["resultsOmitted"]?.integer == Int64(count - told))
    #expect(node["rejected"]?.integer == Int64(count))
    let stopped = try #require(node["stopServing"]?.elements?.count)
    #expect(stopped > 10_000 && stopped <= 20_000)
    #expect(node["stopServingOmitted"] == nil || stopped < 20_000)
    // Each list, and one item beyond its bound.
    #expect(response.body.count < 2 * RouteLimits.answerListBytes + 20_000)
  }

  @Test("stream lines")
  func lines() {
    var counts = StreamLine.Counts()
    counts.lines = 18_446_744_073_709_551_615
    counts.accepted = 10
    var output: [UInt8] = []
    StreamLine.appendFault(
      line: 4, .rejected(.unknownMeter), detail: "No \"meter\".", to: &output)
    StreamLine.appendFault(line: 5, .conflict, detail: "Other content.", to: &output)
    StreamLine.appendAck(
      counts, stopServing: [StopServing(transactionId: "7", customer: "u")], to: &output)
    let text = #"""
      {"line":4,"verdict":"rejected","code":"unknown_meter","detail":"No \"meter\"."}
      {"line":5,"verdict":"conflict","code":"conflict","detail":"Other content."}
      {"lines":18446744073709551615,"accepted":10,"duplicates":0,"conflicts":0,"rejected":0,\#
      "stopServing":[{"transactionId":"7","customer":"u"}]}

      """#
    #expect(String(decoding: output, as: UTF8.self) == text)
  }

  @Test(
    "outcomes of commands",
    arguments: [
      (CommandOutcome.created, "201"), (.updated(applied: false), "200"), (.stored, "204"),
      (.environmentMismatch, "409 environment_mismatch"), (.idMismatch, "422 id_mismatch"),
      (.invalid(code: "overflow", detail: "x"), "422 overflow"),
      (.unavailable, "503 store_unavailable"),
    ])
  func outcomes(_ outcome: CommandOutcome, _ expected: String) {
    #expect(summary(CommandAnswer.response(to: outcome)) == expected)
  }

  @Test("a problem carries its header")
  func retryAfter() {
    #expect(Problem.storeUnavailable.response.header("Retry-After") == "1")
  }
}
