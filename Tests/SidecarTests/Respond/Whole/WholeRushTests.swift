import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Many notifications at once, and what is refused for good.
@Suite(.serialized) struct WholeRushTests {
  private static func expectTaken(_ count: Int, _ scene: WholeScene) throws {
    let sample = #"outlay_notifications_total{type="CONSUMPTION_REQUEST"}"#
    #expect(try scene.metric(sample, becomes: Double(count)) == Double(count))
    // Without consent none is answered; each has opened its case once.
    let gated = #"outlay_refund_requests_open{gate="not_consented"}"#
    #expect(try scene.metric(gated, becomes: Double(count)) == Double(count))
  }

  /// After an outage Apple delivers what has gathered, at once.
  @Test func aRushIsTakenWhole() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    let bodies = try scene.requests(64)
    #expect(try scene.post(bodies, to: responder) == Array(repeating: 200, count: 64))
    try Self.expectTaken(64, scene)
    // The same again is taken, and changes nothing.
    #expect(try scene.post(bodies, to: responder) == Array(repeating: 200, count: 64))
    try Self.expectTaken(64, scene)
  }

  /// A proxy keeps its connections to us and gives what comes to whichever is free.
  @Test func aRushThroughAProxyIsTakenWhole() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    let url = try responder.addresses().intake
    let proxy = try Nginx(before: url, folder: scene.store.folder)
    defer { proxy.stop() }
    let bodies = try scene.requests(160)
    #expect(try scene.post(bodies, to: proxy.url) == Array(repeating: 200, count: 160))
    try Self.expectTaken(160, scene)
    let accepted = #"outlay_responder_notifications_total{result="accepted"}"#
    #expect(try responder.metric(accepted) == 160)
  }

  /// A purchase belongs to the environment first seen: Apple's word of another is refused for good,
  /// and why is told.
  @Test func anotherEnvironmentsIdIsRefusedForGood() throws {
    let scene = try WholeScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    try scene.buy("700001")
    #expect(try scene.notify("ONE_TIME_CHARGE", of: "700001", to: responder) == 200)
    try scene.sell("700001", in: "Sandbox")
    #expect(try scene.notify("REFUND", of: "700001", in: "Sandbox", to: responder) == 400)
    let told = "refused for good: the sidecar answers 409 environment_mismatch"
    #expect(responder.line(with: told) != nil)
    let refused = #"outlay_responder_notifications_total{result="refused"}"#
    #expect(try responder.metric(refused) == 1)
  }
}

/// A real nginx as people put it before the responder, without TLS.
private final class Nginx {
  let url: String
  private let process = Process()

  init(before upstream: String, folder: String) throws {
    let program = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_NGINX"],
      "OUTLAY_NGINX is unset: run Config/setup test, which fetches what the tests need")
    let socket = "\(folder)/proxy.port"
    let address = upstream.dropFirst("http://".count)
    let host = address.prefix { $0 != "/" }
    let path = address.drop { $0 != "/" }
    let port = try Self.freePort()
    url = "http://127.0.0.1:\(port)\(path)"
    try CommandSystem.writeFile(
      "\(folder)/nginx.conf",
      """
      daemon off; master_process off; pid \(socket).pid; error_log stderr warn;
      events { worker_connections 512; }
      http {
        access_log off;
        client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
        fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi;
        scgi_temp_path \(folder)/scgi;
        upstream responder { server \(host); keepalive 16; }
        server {
          listen 127.0.0.1:\(port) backlog=512;
          location / {
            proxy_pass http://responder; proxy_http_version 1.1; proxy_set_header Connection "";
            client_max_body_size 320k; client_body_buffer_size 320k;
          }
        }
      }
      """)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-e", "stderr", "-p", folder, "-c", "\(folder)/nginx.conf"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let patience = Patience()
    while (try? UnixHTTPClient(tcp: "127.0.0.1:\(port)")) == nil {
      try #require(process.isRunning && !patience.isOver, "nginx doesn't listen")
      CommandSystem.sleep(milliseconds: 20)
    }
  }

  /// A port that was free a moment ago.
  private static func freePort() throws -> String {
    let loop = try EventLoop()
    let name = try loop.listen(.tcp("127.0.0.1:0"), http: Silence())
    loop.stop(within: .zero)
    return String(name.split(separator: ":").last ?? "0")
  }

  private final class Silence: HTTPService {
    func handle(_ request: HTTPRequest, _ reply: HTTPReply) {
      reply.send(HTTPResponse(status: 404))
    }
  }

  func stop() {
    // It inherits blocked signals, and has nothing to lose.
    CommandSystem.signal(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
