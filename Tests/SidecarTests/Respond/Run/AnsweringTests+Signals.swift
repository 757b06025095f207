import Foundation
import Metering
import Testing

@testable import Sidecar

/// What a responder does at SIGTERM and at SIGHUP.
extension AnsweringTests {
  /// What Apple took and the sidecar doesn't know would be sent again.
  @Test func anEndWaitsForASidecarThatIsAway() throws {
    let scene = try Self.scene()
    defer { scene.finish() }
    scene.sidecar.answer(Self.reports, with: 503)
    let first = try scene.respond()
    #expect(scene.sidecar.calls(Self.reports, count: 1).count >= 1)
    first.signal(SIGTERM)
    let before = scene.sidecar.calls(Self.reports, count: 0).count
    #expect(scene.sidecar.calls(Self.reports, count: before + 2).count >= before + 2)
    scene.sidecar.answer(Self.reports, with: 0)
    #expect(first.stop() == 0)
    #expect(try scene.store.calls("sendConsumption", count: 1).count == 1)

    // One that stays away is told of.
    let reports = "POST /v1/refund-requests/700002:1/response"
    scene.sidecar.answer(reports, with: 503)
    try scene.store.purchase("700002")
    scene.sidecar.open(RespondScene.openCase("700002"))
    let second = try scene.respond()
    #expect(scene.sidecar.calls(reports, count: 1).count >= 1)
    #expect(second.stop() == 1)
    #expect(second.line(with: "case 700002:1: Apple's answer 202 couldn't be reported") != nil)
    #expect(try scene.store.calls("sendConsumption", count: 2).count == 2)
  }

  /// SIGHUP reads the key again; what can't be used changes nothing.
  @Test func aHangupReadsTheKeyAgain() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let responder = try scene.respond()
    let key = "\(scene.store.folder)/key.p8"
    let right = try String(contentsOfFile: key, encoding: .utf8)
    try "no key".write(toFile: key, atomically: false, encoding: .utf8)
    responder.signal(SIGHUP)
    #expect(responder.line(with: "reload refused: responder.privateKeyFile: malformedKey") != nil)
    try right.write(toFile: key, atomically: false, encoding: .utf8)
    // Another issuer is refused by Apple: it is used.
    let configuration = "\(scene.store.folder)/outlay.json5"
    let text = try String(contentsOfFile: configuration, encoding: .utf8)
    let issuer = try scene.store.text("issuerId")
    let other = text.replacing(issuer, with: "00000000-0000-0000-0000-000000000000")
      .replacing("path: \"/apple\"", with: "path: \"/other\"")
    try other.write(toFile: configuration, atomically: false, encoding: .utf8)
    responder.signal(SIGHUP)
    #expect(
      responder.line(with: "reload: responder.path has changed, which needs a restart") != nil)
    #expect(responder.line(with: "reload: the key is read again") != nil)
    try scene.store.purchase("700001")
    scene.sidecar.open(RespondScene.openCase("700001"))
    #expect(
      scene.sidecar.calls(Self.reports, count: 2).map(Self.report).allSatisfy {
        $0 == Self.expected("401")
      })
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    responder.signal(SIGHUP)
    #expect(responder.line(with: "reload: the key is read again", count: 2) != nil)
    try scene.store.purchase("700002")
    scene.sidecar.open(RespondScene.openCase("700002"))
    #expect(responder.line(with: "case 700002:1: answered") != nil)
    #expect(responder.stop() == 0)
  }
}
