import Foundation
import Metering
import Testing

@testable import Sidecar

/// `respond --dry-run`, `respond --test`, `order` and `extend` of the built program.
@Suite(.serialized) struct StoreCommandTests {
  @Test func dryRunTellsWhatAndWhy() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let file = try scene.configuration(mode: "observe")
    scene.sidecar.open(RespondScene.openCase("700001"))
    var gated = RespondScene.openCase("700002")
    gated.gate = "not_consented"
    scene.sidecar.open(gated)
    func run(_ id: String) throws -> Binary.Run {
      try Binary.run(["respond", "--dry-run", id, "--config", file, "--socket", scene.sidecar.path])
    }
    let told = try run("700001:1")
    #expect(told.code == 0, "\(told.errors)")
    let origin = try scene.store.origin("Production")
    #expect(
      told.output.contains("PUT \(origin)/inApps/v2/transactions/consumption/700001\n"))
    #expect(told.output.contains(FakeSidecar.request))
    #expect(told.output.contains("because    share 80000 at or above declineAt 70000"))
    let nothing = try run("700002:1")
    #expect(nothing.code == 1)
    #expect(nothing.output.contains("nothing    would be sent: not_consented"))
    #expect(try run("700001:2").errors.contains("followed by 700001:1"))
    #expect(try run("700003:1").code == 1)
    #expect(try run("nonsense").code == 1)
    #expect(try scene.store.calls("sendConsumption", count: 0).isEmpty)
  }

  @Test func aTestNotificationComesBack() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let responder = try scene.respond(mode: "observe")
    try scene.store.command("tests_go_to", #""url":"\#(try responder.addresses().intake)""#)
    let file = try scene.configuration(mode: "observe")
    let good = try Binary.run(["respond", "--test", "--config", file])
    #expect(good.code == 0, "\(good.errors)")
    #expect(good.output.contains("Apple says SUCCESS"))
    #expect(scene.sidecar.calls("POST /v1/notifications ", count: 1).count == 1)
    scene.sidecar.answer("POST /v1/notifications ", with: 422)
    let words = ["respond", "--test", "--environment", "Sandbox", "--config", file]
    let bad = try Binary.run(words)
    #expect(bad.code == 1)
    #expect(bad.output.contains("Apple says UNSUCCESSFUL_HTTP_RESPONSE_CODE"))
  }

  @Test func anOrderIsLookedUp() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let file = try scene.configuration(mode: "observe")
    let sold = #""productId":"com.example.pro","price":9990,"currency":"USD""#
    try scene.store.purchase("700001", sold)
    try scene.store.command("order", #""orderId":"MQ1","transactionIds":["700001"]"#)
    let found = try Binary.run(["order", "MQ1", "--config", file])
    #expect(found.code == 0, "\(found.errors)")
    #expect(found.output.contains("700001") && found.output.contains("com.example.pro"))
    let unknown = try Binary.run(["order", "MQ2", "--config", file])
    #expect(unknown.code == 1)
    #expect(unknown.errors == "MQ2 is no order of this app\n")
    // What another root signed isn't shown.
    let other = "\(scene.store.folder)/root.pem"
    try FileManager.default.removeItem(atPath: other)
    let apples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Config/AppleRootCA-G3.pem").path
    try FileManager.default.copyItem(atPath: apples, toPath: other)
    let foreign = try Binary.run(["order", "MQ1", "--config", file])
    #expect(foreign.code == 1)
    #expect(foreign.errors.contains("isn't believed") && !foreign.output.contains("700001"))
  }

  @Test func aRenewalIsExtendedWhenOneIsSure() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let file = try scene.configuration(mode: "observe")
    try scene.store.purchase("700001", #""type":"Auto-Renewable Subscription""#)
    let words = ["extend", "700001", "--days", "7", "--reason", "outage", "--config", file]
    // Nobody answers.
    let unsure = try Binary.run(words)
    #expect(unsure.code == 1)
    #expect(unsure.output.contains("can't be undone") && unsure.errors == "nothing was done\n")
    #expect(try scene.store.calls("extendRenewalDate", count: 0).isEmpty)
    let sure = try Binary.run(words + ["--yes"])
    #expect(sure.code == 0, "\(sure.errors)")
    #expect(sure.output.contains("700001 is extended by 7 days; it renews at 2"))
    let calls = try scene.store.calls("extendRenewalDate", count: 1)
    #expect(calls[0].body.contains(#""extendByDays":7,"extendReasonCode":3,"#))
    #expect(try Binary.run(words + ["--yes"]).code == 0)
    let third = try Binary.run(words + ["--yes"])
    #expect(third.code == 1)
    #expect(third.errors.contains("403 4030005 SubscriptionMaxExtensionError"))
    for bad in [["--days", "91"], ["--days", "7", "--reason", "x"], []] {
      #expect(try Binary.run(["extend", "1", "--config", file] + bad).code == 2)
    }
  }

  @Test func aKeyThatOthersMayReadIsRefused() throws {
    let scene = try RespondScene()
    defer { scene.finish() }
    let key = "\(scene.store.folder)/key.p8"
    let file = try scene.configuration(mode: "send")
    func refused() throws -> String {
      let responder = try ResponderProcess(configuration: file)
      #expect(responder.end() == 1)
      return responder.text
    }
    for mode in [0o640, 0o604, 0o660] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
      #expect(try refused().contains("chmod 600"))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    try "no key".write(toFile: key, atomically: false, encoding: .utf8)
    #expect(try refused().contains("responder.privateKeyFile: malformedKey"))
    try FileManager.default.removeItem(atPath: key)
    #expect(try refused().contains("key.p8 can't be read"))
  }
}
