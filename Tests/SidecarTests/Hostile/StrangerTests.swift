import Foundation
import Metering
import Testing

@testable import Sidecar
@testable import Wire

/// Two users at one socket, and the places of each.
@Suite(.serialized, .enabled(if: Stranger.isPossible, "only root can be two users"))
struct StrangerTests {
  /// Connections of one user, as the limits have it.
  private static let share = Wire.Limits.connections * Wire.Limits.userSharePercent / 100

  private static let question = Array("HEAD /healthz HTTP/1.1\r\nHost: o\r\n\r\n".utf8)

  private static func ask(_ socket: ClientSocket) throws {
    socket.received = []
    try socket.write(question)
    while !socket.isEnded, !socket.received.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      try #require(try socket.waitForInput(milliseconds: Patience.milliseconds))
    }
    #expect(String(decoding: socket.received, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
  }

  @Test func aStrangersRushEndsOnlyHisOwn() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    let stranger = try Stranger(at: server)
    defer { stranger.finish() }
    // Ours rest: of one user they would give way first.
    let ours = try (0..<100).map { _ in try ClientSocket(unix: server.socketPath) }
    for socket in ours { try Self.ask(socket) }
    let many = 2 * Self.share
    #expect(try stranger.command("hold \(many)") == "\(many)")
    // He is answered himself, in the place of one of his own.
    #expect(try stranger.command("ask").hasPrefix("HTTP/1.1 200 "))
    for socket in ours { try Self.ask(socket) }
    for _ in 0..<50 { try Self.ask(try ClientSocket(unix: server.socketPath)) }
    let left = try #require(Int(try stranger.command("left")))
    #expect((1...Self.share).contains(left))
    let ended = try MetricsPage(server.address).value(
      #"outlay_connections_ended_total{reason="gave_way"}"#)
    #expect(ended >= Double(many - Self.share))
  }
}
