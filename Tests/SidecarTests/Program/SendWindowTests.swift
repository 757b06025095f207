import Testing

@testable import Sidecar

struct SendWindowTests {
  private static func window(_ count: Int) -> SendWindow {
    var window = SendWindow()
    for number in 1...count {
      _ = window.add(ArraySlice("{\"id\":\(number)}".utf8), number: number)
    }
    return window
  }

  private static func text(_ chunk: [UInt8]?) -> String? {
    chunk.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func ack(_ lines: Int, accepted: Int, rejected: Int = 0) -> [UInt8] {
    let text = """
      {"lines":\(lines),"accepted":\(accepted),"duplicates":0,"conflicts":0,"rejected":\(rejected)}
      """
    return Array(text.utf8)
  }

  @Test func sendsAgainWhatWasNotAcknowledged() {
    var window = Self.window(3)
    #expect(Self.text(window.nextChunk()) == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n")
    #expect(window.nextChunk() == nil)
    #expect(window.take(Self.ack(1, accepted: 1)) == .acknowledged(faults: []))
    window.reconnect()
    #expect(Self.text(window.nextChunk()) == "{\"id\":2}\n{\"id\":3}\n")
    #expect(window.take(Self.ack(2, accepted: 2)) == .acknowledged(faults: []))
    #expect(window.isEmpty)
    #expect(window.counts.lines == 3 && window.counts.accepted == 3)
  }

  @Test func faultsCountWithTheirAcknowledgement() {
    var window = Self.window(2)
    _ = window.nextChunk()
    let fault = #"{"line":2,"verdict":"rejected","code":"unknown_meter","detail":"no such"}"#
    #expect(window.take(Array(fault.utf8)) == .noted)
    let expected = SendWindow.Outcome.acknowledged(
      faults: ["line 2: rejected unknown_meter: no such"])
    #expect(window.take(Self.ack(2, accepted: 1, rejected: 1)) == expected)
  }

  @Test func blankLinesAndOtherTextAreNotSent() {
    var window = SendWindow()
    #expect(window.add(ArraySlice("  \r".utf8), number: 1) == nil)
    #expect(
      window.add(ArraySlice("[1]".utf8), number: 2)
        == "line 2: rejected invalid_json: not an object")
    #expect(window.nextChunk() == nil)
    #expect(window.counts.rejected == 1)
  }

  @Test(arguments: [
    (#"{"code":"store_unavailable","detail":"full"}"#, "store_unavailable: full", true),
    ("HTTP/1.1 400 Bad Request", "HTTP/1.1 400 Bad Request", false),
    (#"{"lines":9}"#, "an ack for lines never sent", false),
  ])
  func knowsTheOtherAnswers(answer: String, text: String, isTemporary: Bool) {
    var window = Self.window(1)
    _ = window.nextChunk()
    let outcome = window.take(Array(answer.utf8))
    #expect(outcome == (isTemporary ? .unavailable(text) : .alien(text)))
  }
}
