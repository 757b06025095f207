import AppStore
import Foundation
import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// Apple's instants by our clock.
struct AppStoreClockTests {
  /// Answers every call so.
  private final class Transport: AppStoreTransport {
    var answer = HTTPResponse(status: 429)

    func send(_ request: ClientRequest, to origin: String) throws(NetworkFault) -> HTTPResponse {
      answer
    }
  }

  /// Seconds by which Apple's clock is ahead, and how far away its `Retry-After` then is by ours.
  @Test(arguments: [0, 1, -1, 360, -360, 10_800] as [Int64])
  func anInstantOfApplesIsReadByOurs(ahead: Int64) throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let path = try scene.configuration(mode: "send")
    let configuration = try ConfigurationFile.load(path, environment: [:]).get()
    let files = ConfiguredFiles(configurationPath: path, environment: [:])
    let credentials = try #require(try APICredentials(configuration, files: files))
    let bundle = try #require(credentials.bundleIds.first)
    let transport = Transport()
    let state = ResponderState(mode: .send)
    let connection = AppStoreConnection(
      configuration.responder, signers: try APISigners(credentials), transport: transport,
      state: state)
    let before = SystemClock.now()
    let apples = before.adding(microseconds: ahead * 1_000_000)
    let until = apples.microseconds / 1000 + 3_000
    var date = HTTPDate()
    transport.answer.headers = [
      (
        "Date",
        String(decoding: date.bytes(at: apples.microseconds / 1_000_000), as: UTF8.self)
      ),
      ("Retry-After", "\(until)"),
    ]
    let result = try connection.send(.requestTest, bundleId: bundle, to: .production)
    let spent = SystemClock.now().microseconds - before.microseconds
    guard case .failure(let refusal) = result, let retryAfter = refusal.retryAfter else {
      Issue.record("no refusal")
      return
    }
    let away = retryAfter.microseconds - before.microseconds
    if abs(ahead) < 2 {
      #expect(retryAfter == Instant(milliseconds: until))
    } else {
      // Three seconds, one more for a Date without fractions, and the time that this took.
      #expect((3_000_000...5_000_000 + spent).contains(away))
    }
  }
}
