import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Who only wants his due: acknowledgements of single events, answers and scrapes, each with the
/// time that it took him.
final class HonestClient {
  /// What he waits for.
  enum Wish: CaseIterable {
    case acknowledgement
    case answer
    case page
    case scrape
  }

  /// Times, nanoseconds, by what was waited for.
  private(set) var times: [Wish: [UInt64]] = [:]
  /// How often a connection of his was ended by others' pressure, and he had to ask again. He is
  /// of the same user as they, whose connections give way to each other.
  private(set) var cuts: [Wish: Int] = [:]
  private let socket: String
  private let metrics: String
  private var stream: UnixStreamConnection?
  private var number = 0

  init(_ socket: String, _ metrics: String) {
    self.socket = socket
    self.metrics = metrics
  }

  /// Wants each thing once.
  func live() throws {
    number += 1
    try time(.acknowledgement) { try send() }
    try time(.answer) { try ask("/v1/transactions/t/consumption") }
    try time(.page) { try ask("/v1/transactions?limit=1") }
    try time(.scrape) {
      try expect(UnixHTTPClient(tcp: metrics).send(ClientRequest("GET", "/metrics")))
    }
  }

  /// Until it is done: who is cut off begins anew, and his time goes on.
  private func time(_ wish: Wish, _ body: () throws -> Void) throws {
    let start = CommandSystem.monotonicNanoseconds()
    let patience = Patience()
    while true {
      do {
        try body()
        break
      } catch let error as WireError {
        cuts[wish, default: 0] += 1
        CommandSystem.sleep(milliseconds: 1)
        if patience.isOver { throw error }
      }
    }
    times[wish, default: []].append(CommandSystem.monotonicNanoseconds() - start)
  }

  /// One event over his stream, to its acknowledgement.
  private func send() throws {
    let line = Array(
      (#"{"id":"\#(number)","transactionId":"t","meter":"credits","quantity":1}"# + "\n").utf8)
    let open = try stream ?? UnixStreamConnection(path: socket)
    // Not kept for another attempt.
    stream = nil
    try open.write(line)
    guard let answer = try open.readLines(waitMilliseconds: Patience.milliseconds).last else {
      throw WireError(operation: "read acknowledgement", reason: "the stream was ended")
    }
    let text = String(decoding: answer, as: UTF8.self)
    #expect(text.hasSuffix(#""conflicts":0,"rejected":0}"#), "\(text)")
    stream = open
  }

  private func ask(_ target: String) throws {
    try expect(UnixHTTPClient(path: socket).send(ClientRequest("GET", target)))
  }

  /// What he asked for, or that he should come again.
  private func expect(_ answer: HTTPResponse) throws {
    if answer.status == 503, answer.header("Retry-After") != nil {
      throw WireError(operation: "ask", reason: "busy")
    }
    #expect(answer.status == 200)
  }

  /// The time within which such a share of the wishes was granted, milliseconds.
  func milliseconds(_ wish: Wish, share: Double) -> Double {
    let sorted = (times[wish] ?? []).sorted()
    guard !sorted.isEmpty else { return .infinity }
    let index = min(sorted.count - 1, Int((share * Double(sorted.count)).rounded(.up)) - 1)
    return Double(sorted[max(0, index)]) / 1e6
  }
}
