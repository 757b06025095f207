import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// Signed input against the built program, over its socket.
@Suite(.serialized) struct SignedInputTests {
  private static let words = AppleWords()

  /// What a notification comes to, with the state of its purchase after it.
  private struct Row {
    var payload: String
    var answer: String
    var id: String
    var state: String
  }

  /// About one purchase of a kind, in the order of its life.
  private static func told(
    _ type: String, _ subtype: String? = nil, of id: String, signed: Int64, _ more: String = "",
    renewal: String? = nil, data: String = "", answer: String = "200 applied", state: String
  ) -> Row {
    let isSubscription = !id.hasPrefix("c")
    let original = "\(id)-chain"
    let transaction = words.transaction(
      id, signed: signed, original: isSubscription ? original : nil, isSubscription: isSubscription,
      more: more)
    let payload = words.notification(
      type, subtype, id: "\(type)/\(subtype ?? "")/\(id)/\(signed)", signed: signed,
      transaction: transaction,
      renewal: isSubscription ? words.renewal(original, signed: signed, more: renewal ?? "") : nil,
      more: data)
    return Row(payload: payload, answer: answer, id: id, state: state)
  }

  private static func bare(
    _ type: String, _ subtype: String? = nil, in container: String, answer: String = "200"
  ) -> Row {
    Row(
      payload: words.notification(
        type, subtype, id: "\(type)/\(subtype ?? "")", signed: -1, container: container),
      answer: answer, id: "none", state: "404")
  }

  /// Every type, with the subtypes that it has.
  private static func rows() -> [Row] {
    let refund = ",\"revocationDate\":\(words.minute(-30)),\"revocationType\":\"REFUND_FULL\""
    let family = ",\"revocationDate\":\(words.minute(-30)),\"revocationType\":\"FAMILY_REVOKE\""
    let over = ",\"expiresDate\":\(words.minute(-10))"
    let grace = ",\"gracePeriodExpiresDate\":\(words.minute(30)),\"isInBillingRetryPeriod\":true"
    let reason = ",\"consumptionRequestReason\":\"LEGAL\""
    var rows = [
      told("ONE_TIME_CHARGE", of: "c1", signed: -50, state: "active"),
      told(
        "CONSUMPTION_REQUEST", of: "c1", signed: -45, data: reason, answer: "200 applied c1:1",
        state: "refund_requested"),
      told(
        "REFUND_DECLINED", of: "c1", signed: -44, answer: "200 applied c1:1", state: "active"),
      told("REFUND", of: "c1", signed: -40, refund, answer: "200 applied c1:1", state: "refunded"),
      told(
        "REFUND_REVERSED", of: "c1", signed: -35, answer: "200 applied c1:1", state: "active"),
      told("REVOKE", of: "c2", signed: -20, family, state: "revoked"),
      told("SUBSCRIBED", "INITIAL_BUY", of: "s1", signed: -60, state: "active"),
      told("SUBSCRIBED", "RESUBSCRIBE", of: "s1", signed: -59, state: "active"),
    ]
    for (type, subtypes) in [
      ("DID_CHANGE_RENEWAL_STATUS", ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"]),
      ("DID_CHANGE_RENEWAL_PREF", [nil, "DOWNGRADE"]),
      ("OFFER_REDEEMED", [nil, "UPGRADE", "DOWNGRADE"]),
      ("PRICE_INCREASE", ["PENDING", "ACCEPTED"]), ("DID_RENEW", [nil, "BILLING_RECOVERY"]),
      ("RENEWAL_EXTENDED", [nil]), ("RENEWAL_EXTENSION", ["FAILURE"]), ("PRICE_CHANGE", [nil]),
      ("METADATA_UPDATE", [nil]), ("MIGRATION", [nil]),
    ] as [(String, [String?])] {
      for subtype in subtypes {
        rows.append(
          told(type, subtype, of: "s1", signed: Int64(rows.count) - 58, state: "active"))
      }
    }
    rows += [
      told(
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD", of: "s1", signed: -9, over, renewal: grace,
        state: "grace"),
      told("GRACE_PERIOD_EXPIRED", of: "s1", signed: -5, over, state: "expired"),
      told("DID_FAIL_TO_RENEW", of: "s2", signed: -9, over, renewal: grace, state: "expired"),
      told(
        "DID_CHANGE_RENEWAL_PREF", "UPGRADE", of: "s3", signed: -8, ",\"isUpgraded\":true",
        state: "superseded"),
    ]
    for subtype in ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", nil] {
      rows.append(
        told("EXPIRED", subtype, of: "s1", signed: -4, over, state: "expired"))
    }
    return rows + containers()
  }

  private static func containers() -> [Row] {
    let app = "\"bundleId\":\"com.example.app\",\"appAppleId\":1234567890"
    let production = "\(app),\"environment\":\"Production\""
    let rescinded = """
      {"receiptType":"Production",\(app),"appTransactionId":"a1",
       "receiptCreationDate":\(words.minute(-1))}
      """
    return [
      bare("TEST", in: "\"data\":{\(production)}"),
      bare("RENEWAL_EXTENSION", "SUMMARY", in: "\"summary\":{\(production),\"succeededCount\":3}"),
      bare(
        "EXTERNAL_PURCHASE_TOKEN", "UNREPORTED",
        in: "\"externalPurchaseToken\":{\"externalPurchaseId\":\"x\",\(app)}"),
      bare(
        "RESCIND_CONSENT",
        in: "\"appData\":{\(production),\"signedAppTransactionInfo\":\(rescinded)}",
        answer: "200 applied"),
      bare("NEW_TYPE", "NEW_SUBTYPE", in: "\"data\":{\(production)}"),
      Row(
        payload: words.notification(
          "NEW_TYPE", id: "new", signed: -1, transaction: words.transaction("c3", signed: -1)),
        answer: "200", id: "c3", state: "404"),
    ]
  }

  @Test func everyTypeHasItsEffectOnce() throws {
    let rows = Self.rows()
    let server = try SignedServer(signing: rows.map(\.payload))
    for (number, row) in rows.enumerated() {
      let answer = try server.notify(number)
      let about = "\(row.payload.prefix(90))"
      let isRepeated = row.answer == "200 applied" && answer.summary == "200"
      #expect(answer.summary == row.answer || isRepeated, "\(about)")
      #expect(try server.state(row.id) == row.state, "\(about)")
    }
    let metrics = try Self.metrics(server)
    for name in NotificationType.allCases.map(\.name) {
      #expect(!metrics.contains("outlay_notifications_total{type=\"\(name)\"} 0"), "\(name)")
    }
    #expect(metrics.contains("outlay_notifications_total{type=\"_other\"} 2"))
    #expect(metrics.contains("outlay_last_notification_timestamp_seconds 1"))

    #expect(server.child.stop())
    try server.child.start()
    for number in rows.indices {
      #expect(try server.notify(number).summary == "200 duplicate")
    }
    #expect(try Self.metrics(server).contains("outlay_notifications_total{type=\"REFUND\"} 1"))
  }

  private static func metrics(_ server: SignedServer) throws -> String {
    let client = try UnixHTTPClient(path: server.child.socketPath)
    let body = try client.send(ClientRequest("GET", "/metrics")).body
    return String(decoding: body, as: UTF8.self)
  }

  @Test func transactionsAreMergedBySignedDate() throws {
    let words = Self.words
    let refund = ",\"revocationDate\":\(words.minute(-5)),\"revocationType\":\"REFUND_FULL\""
    let server = try SignedServer(signing: [
      words.transaction("7", signed: -10), words.transaction("7", signed: -4, more: refund),
      words.transaction("7", signed: -3),
      words.transaction("7", signed: -1, environment: "Sandbox"),
      words.transaction("8", signed: -1, more: ",\"price2\":1").replacing("9990", with: "9.99"),
    ])
    #expect(try server.put(0).status == 201)
    #expect(try server.put(1).summary == "200 applied")
    #expect(try server.put(0).summary == "200")
    #expect(try server.state("7") == "refunded")
    // Nothing unsigned changes what was signed of a revocation.
    let unsigned = "{\"signedDate\":\(words.minute(0)),\"price\":1}"
    #expect(try server.send("PUT", "transactions/7", unsigned).status == 200)
    #expect(try server.state("7") == "refunded")
    #expect(try server.put(2).summary == "200 applied")
    #expect(try server.state("7") == "active")
    #expect(try server.put(3).summary == "409 environment_mismatch")
    #expect(try server.put(4).summary == "422 unverified")
    #expect(try server.send("GET", "transactions/7").node["price"]?.integer == 9_990)
  }

  @Test func whatIsNotBelievedIsToldByItsRule() throws {
    let words = Self.words
    let server = try SignedServer(
      signing: [
        words.transaction("7", signed: -1),
        words.transaction("7", signed: -1, environment: "Xcode"),
        words.transaction("7", signed: -1, environment: "Sandbox"),
        words.notification(
          "TEST", id: "1", signed: -1,
          transaction: words.transaction("7", signed: -1, environment: "Sandbox")),
        words.transaction("7", signed: -1).replacing("com.example.app", with: "com.foreign"),
      ], environments: "[\"Production\"]")
    func detail(_ answer: SignedServer.Answer) -> String {
      "\(answer.summary) \(answer.node["detail"]?.string?.string ?? "")"
    }
    let refused = "422 unverified Not believed:"
    #expect(detail(try server.put(1)) == "\(refused) wrong_environment.")
    #expect(detail(try server.put(2)) == "\(refused) wrong_environment.")
    #expect(
      detail(try server.notify(3)) == "\(refused) signedTransactionInfo: wrong_environment.")
    #expect(detail(try server.put(4)) == "\(refused) wrong_bundle.")
    let tampered = String(server.signed[0].dropLast(8)) + "AAAAAAAA"
    for (path, field, jws, expected) in [
      ("transactions", "signedTransactionInfo", tampered, "\(refused) wrong_signature."),
      ("notifications", "signedPayload", "a.b", "\(refused) malformed_token."),
      ("notifications", "payload", "a.b.c", "422 invalid_body signedPayload is a string."),
      (
        "notifications", "signedPayload", String(repeating: "x", count: 300_000),
        "413 too_large This path takes at most 65536 bytes."
      ),
    ] {
      let answer = try server.send("POST", path, "{\"\(field)\":\"\(jws)\"}")
      #expect(detail(answer) == expected)
    }
    #expect(try server.state("7") == "404")
    #expect(try server.put(0).status == 201)
  }

  @Test func withoutItsSectionNothingIsTaken() throws {
    let server = try Binary.server()
    defer { server.finish() }
    try server.start()
    for path in ["transactions", "notifications"] {
      let client = try UnixHTTPClient(path: server.socketPath)
      let answer = try client.send(ClientRequest("POST", "/v1/\(path)", body: Array("{}".utf8)))
      #expect(answer.status == 501)
    }
  }

  @Test(
    "roots that can't be used are faults of the configuration",
    arguments: [
      ("none.pem", "none.pem can't be read"),
      ("bad.pem", "appStore.rootCertificates[0]: is neither one certificate in DER"),
    ])
  func badRoots(name: String, fault: String) throws {
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    try CommandSystem.writeFile("\(folder)/bad.pem", "nothing")
    try CommandSystem.writeFile(
      "\(folder)/o.json5",
      "{ meters: {}, appStore: { bundleIds: ['a'], appAppleId: 1, rootCertificates: ['\(name)'] } }"
    )
    for command in ["check", "serve"] {
      let run = try Binary.run([command, "--config", "\(folder)/o.json5"])
      #expect(run.code == 78)
      #expect(run.errors.contains(fault), "\(run.errors)")
    }
  }

  @Test("Apple's own root beside the example's configuration is taken") func ownRoot() throws {
    let config = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Config").standardizedFileURL.path
    let folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    defer { CommandSystem.removeFolder(folder) }
    try CommandSystem.writeFile(
      "\(folder)/o.json5",
      """
      { meters: {}, appStore: { bundleIds: ['a'], appAppleId: 1,
        rootCertificates: ['AppleRootCA-G3.pem'] } }
      """)
    let settings = ["CREDENTIALS_DIRECTORY": config]
    #expect(try Binary.run(["check", "--config", "\(folder)/o.json5"], settings).code == 0)
  }
}
