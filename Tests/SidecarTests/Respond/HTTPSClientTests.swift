import Metering
import Testing
import Wire

@testable import Sidecar

/// The HTTPS client against a real TLS server that errs in every way.
@Suite(.serialized) struct HTTPSClientTests {
  private static let request = ClientRequest("GET", "/inApps/v1/transactions/1")

  private static func client(
    _ store: FakeStore, _ change: (inout HTTPSOptions) -> Void = { _ in }
  ) throws -> HTTPSClient {
    var options = HTTPSOptions()
    options.authorityFile = try store.text("authority")
    options.callMilliseconds = 10_000
    change(&options)
    return try HTTPSClient(options)
  }

  @Test func connectionsAreKept() throws {
    let store = try FakeStore()
    defer { store.finish() }
    let client = try Self.client(store)
    for _ in 0..<3 {
      let answer = try client.send(Self.request, to: try store.origin("Sandbox"))
      #expect(answer.status == 401)
      #expect(answer.body == [])
      #expect(HTTPDate.seconds(answer.header("date") ?? "") != nil)
    }
    #expect(try store.connections() == 1)
    // A kept connection that broke without a word is replaced by another within the call.
    try store.plan(#"{"before":"reset"}"#)
    #expect(try client.send(Self.request, to: try store.origin("Sandbox")).status == 401)
    #expect(try store.connections() == 2)
  }

  @Test(arguments: [
    ("reset", NetworkFault.Kind.broken), ("half", .broken), ("garbage", .malformed),
    ("silent", .timeout), ("long", .tooLong),
  ])
  func faultsAreTold(fault: String, kind: NetworkFault.Kind) throws {
    let store = try FakeStore()
    defer { store.finish() }
    try store.plan(#"{"before":"\#(fault)"}"#)
    let origin = try store.origin("Sandbox")
    let client = try Self.client(store) { if fault == "silent" { $0.callMilliseconds = 300 } }
    do throws(NetworkFault) {
      _ = try client.send(Self.request, to: origin)
      Issue.record("an answer came")
    } catch {
      #expect(error.kind == kind, "\(error)")
    }
  }

  @Test func thePeerHasToProveWhoItIs() throws {
    let store = try FakeStore()
    defer { store.finish() }
    let port = try store.text("Sandbox")
    func kind(_ origin: String, _ client: HTTPSClient) -> NetworkFault.Kind? {
      do throws(NetworkFault) {
        _ = try client.send(Self.request, to: origin)
        return nil
      } catch {
        return error.kind
      }
    }
    let trusting = try Self.client(store)
    #expect(kind("https://localhost:\(port)", trusting) == nil)
    // Its certificate is for another name.
    #expect(kind("https://127.0.0.1:\(port)", trusting) == .tls)
    // Its authority is none of the system's.
    let usual = try Self.client(store) { $0.authorityFile = nil }
    #expect(kind("https://localhost:\(port)", usual) == .tls)
    #expect(kind("http://localhost:\(port)", trusting) == .malformed)
    #expect(kind("https://localhost:1", trusting) == .connect)
    #expect(kind("https://nowhere.invalid", trusting) == .resolve)
    let missing = try Self.client(store) { $0.authorityFile = "/nowhere" }
    #expect(kind("https://localhost:\(port)", missing) == .unusable)
  }

  @Test func aHeaderIsOneHeader() throws {
    let client = try HTTPSClient()
    let request = ClientRequest("GET", "/", headers: [("A", "b\r\nC: d")])
    #expect(throws: NetworkFault.self) { try client.send(request, to: "https://localhost:1") }
  }
}
