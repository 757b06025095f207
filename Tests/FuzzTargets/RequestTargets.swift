import Metering
import Sidecar
import Wire

@testable import AppStore

extension FuzzTarget {
  /// Requests and events, one a line (see ``Desk``): whatever they say, every answer is JSON, and
  /// it is the same whether each was a commit or all were one.
  static let requests = FuzzTarget(
    name: "requests", goal: "usage",
    words: [
      "T1{", "T2{", "D1{", "C1{", "A1{", "O1{", "Nu{", "R1{", "L1{", "S1{", "V{", "Q", "\n",
      "\"originalTransactionId\":\"1\"", "\"purchaseDate\":", "\"expiresDate\":",
      "\"revocationDate\":", "\"revocationPercentage\":", "\"revocationType\":\"REFUND_PRORATED\"",
      "\"gracePeriodExpiresDate\":", "\"signedDate\":", "\"price\":", "\"quantity\":",
      "\"currency\":\"EUR\"", "\"isUpgraded\":true", "\"productId\":\"com.example.pro\"",
      "\"type\":\"Auto-Renewable Subscription\"", "\"type\":\"Non-Renewing Subscription\"",
      "\"inAppOwnershipType\":\"FAMILY_SHARED\"", "\"customer\":\"u\"", "\"until\":", "\"usage\":[",
      "\"meter\":\"storage\"", "\"meter\":\"llm_tokens\"", "253402300799999", "100000000000",
      "null",
      "\"voids\":{\"id\":\"a\"}", "9223372036854775807", "999999999999999999", "2147483647",
    ],
    rounds: 60,
    seeds: { Desk.requestSamples.map { Array(text: $0) } }
  ) { input, run in
    let text = Array(input)
    let single = answers(to: text, inOneCommit: false, &run)
    let twin = run.takesTwin ? Array(text.prefix(text.count / 2)) : text
    let together = answers(to: twin, inOneCommit: true, &run)
    run.agree(together, single, "answers after one commit and after several")
  }

  private static func answers(
    to text: [UInt8], inOneCommit: Bool, _ run: inout FuzzRun
  ) -> [String] {
    let desk = FuzzDesk.shared.desk
    desk.reset()
    _ = desk.take(text, inOneCommit: inOneCommit)
    for line in text.split(separator: 10).prefix(24) {
      if case .answer(let answer)? = desk.route(line) { check(answer, run) }
    }
    if desk.totals.accepted > 0 { run.reach("usage") }
    return described(desk, run)
  }

  /// What a desk answers, sorted; each is JSON.
  private static func described(_ desk: Desk, _ run: FuzzRun) -> [String] {
    desk.answers().map { answer in
      check(answer, run)
      return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
    }.sorted()
  }

  private static func check(_ answer: HTTPResponse, _ run: FuzzRun) {
    let body = String(decoding: answer.body, as: UTF8.self)
    run.require((200...599).contains(answer.status), "status \(answer.status)")
    do throws(JSONFault) {
      _ = try JSONNode.parse(answer.body, dialect: .strict)
    } catch {
      run.fail("an answer that is no JSON: \(body)")
    }
  }

  /// Notifications: a payload a line, each with the transaction and the renewal on the two lines
  /// behind it, which are signed and put in the place of `@T` and `@R`.
  static let notifications = FuzzTarget(
    name: "notifications", goal: "applied",
    words: [
      "\"@T\"", "\"@R\"", "\"data\":{", "\"summary\":{", "\"appData\":{", "\"CONSUMPTION_REQUEST\"",
      "\"REFUND\"", "\"REFUND_DECLINED\"", "\"REFUND_REVERSED\"", "\"DID_RENEW\"", "\"REVOKE\"",
      "\"GRACE_PERIOD\"", "\"EXPIRED\"", "\"RESCIND_CONSENT\"", "\"subtype\":", "\"signedDate\":",
      "\"consumptionRequestReason\":", "\"revocationDate\":", "\"autoRenewStatus\":1",
      "\"gracePeriodExpiresDate\":", "\"isInBillingRetryPeriod\":true", "1796000000000", "null",
      "\n",
      "253402300799999", "100000000000", "-1",
    ],
    rounds: 150,
    seeds: { notificationSamples.map { Array(text: $0) } }
  ) { input, run in
    let desk = FuzzDesk.shared.desk
    desk.reset()
    let lines = Array(input).split(separator: 10, omittingEmptySubsequences: false)
    for start in stride(from: 0, to: min(lines.count, 12), by: 3) {
      let group = lines[start..<min(start + 3, lines.count)].map { Array($0) }
      guard let command = proved(group) else { continue }
      run.reach("proved")
      let outcomes = desk.take(command)
      if outcomes.contains(where: { $0.contains("isApplied: true") }) { run.reach("applied") }
      let again = desk.take(command)
      let isRepeated = again.first?.contains("isDuplicate: true") != run.takesTwin
      run.require(
        isRepeated || again == outcomes, "taken twice: \(outcomes) \(again)")
    }
    _ = described(desk, run)
  }

  private static func proved(_ group: [[UInt8]]) -> Command? {
    let signer = TestSigner.shared
    let chain = signer.signer.chain
    var payload = group[0]
    for (index, mark) in ["@T", "@R"].enumerated() where group.count > index + 1 {
      guard let place = payload.firstRange(of: Array(mark.utf8)) else { continue }
      payload.replaceSubrange(place, with: signer.sign(group[index + 1], chain: chain).bytes)
    }
    let jws = signer.sign(payload, chain: chain)
    return try? SignedCommand.prove(.notification(jws), by: signer.verifier, now: TestSigner.now)
  }
}

/// One desk for all inputs: making one is dear.
private struct FuzzDesk: @unchecked Sendable {
  // Unchecked: a process runs one input at a time.
  static let shared = FuzzDesk()

  let desk = Desk()
}
