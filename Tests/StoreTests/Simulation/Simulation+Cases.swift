import AppStore
import Metering
import Sidecar

/// Two responders that answer the same cases.
extension Simulation {
  /// A call's time, in seconds: two fit into a claim.
  private static let claimSeconds: Int64 = 60

  mutating func respond() throws {
    let number = seed.below(responders.count)
    if seed.chance(6) { return kill(number) }
    try goOn(number)
  }

  /// The responder is killed and another begins, which knows nothing.
  private mutating func kill(_ number: Int) {
    tell("responder \(number) is killed")
    appStore.doubt(responders[number].caseInHand)
    responders[number] = SimulatedResponder(number: number)
  }

  /// What is under way comes to an end, one way or the other.
  mutating func finish(_ number: Int) throws {
    if responders[number].caseInHand != nil, seed.chance(30) { return kill(number) }
    while responders[number].caseInHand != nil, faults.isEmpty { try goOn(number) }
  }

  /// One call of a responder.
  private mutating func goOn(_ number: Int) throws {
    switch responders[number].stage {
    case .idle: try begin(number)
    case .claimed(let one, let variant): try look(again: one, variant, number)
    case .ready(let one, let body): send(body, of: one, number)
    case .reporting(let id, let report): try tell(report, of: id, number)
    }
    for id in appStore.answeredTwice { fail("case \(id) was answered twice") }
  }

  private mutating func begin(_ number: Int) throws {
    let page = try server.ask { reading in
      try CasesAnswer(
        state: .open, after: nil, limit: 100, from: reading, configuration: server.configuration,
        now: server.now)
    }
    var writer = JSONWriter()
    page.write(items: &writer)
    let items = try JSONNode.parse(writer.bytes, dialect: .strict).elements ?? []
    let cases = items.compactMap { OpenCase($0) }
    if cases.count != items.count { fail("a responder can't read \(items.count) cases") }
    responders[number].desk.take(cases, at: server.now)
    _ = responders[number].desk.takeNotices(at: server.now)
    guard case .send(let one, let variant) = responders[number].desk.next(at: server.now),
      let id = CaseID(one.id)
    else { return }
    let name = responders[number].name
    tell("responder \(number) claims \(one.id)")
    let expected = expectedClaim(one.id.string, id, number)
    let outcome = try attempt {
      try $0.run(.claimCase(id, responder: name, seconds: Self.claimSeconds))
    }.answer
    switch (outcome, expected) {
    case (.refundCase(.claimed), .taken): responders[number].stage = .claimed(one, variant)
    case (.refundCase(.held), .held):
      let end = server.now.adding(microseconds: 30_000_000)
      responders[number].desk.hold(one.id, until: end)
    case (.refundCase(.alreadyAnswered), .answered): break
    default: fail("claim of \(one.id) answered \(outcome as Any), expected \(expected)")
    }
  }

  private enum Claim { case taken, held, answered }

  private mutating func expectedClaim(_ id: String, _ parsed: CaseID, _ number: Int) -> Claim {
    let known = reference.cases[parsed.transaction.string]?.first { $0.number == parsed.number }
    if known?.response != nil { return .answered }
    if let claim = claims[id], claim.until > now, claim.responder != number { return .held }
    claims[id] = (number, now + Self.claimSeconds * 1_000_000)
    return .taken
  }

  /// Consumption as it is just before it is sent.
  private mutating func look(
    again listed: OpenCase, _ variant: RetryPlan.Variant, _ number: Int
  ) throws {
    var one = listed
    responders[number].stage = .idle
    guard let text = try server.consumption(one.transactionId.string),
      one.update(try JSONNode.parse(Array(text.utf8), dialect: .strict)),
      let proposal = one.proposal
    else {
      let end = server.now.adding(microseconds: 1_000_000)
      return responders[number].desk.hold(listed.id, until: end)
    }
    var body = try ConsumptionBody(proposal)
    if variant.omitsPercentage { body.consumptionPercentage = nil }
    responders[number].stage = .ready(one, body)
  }

  private mutating func send(_ body: ConsumptionBody, of one: OpenCase, _ number: Int) {
    let (outcome, status) = appStore.take(one.id.string, at: server.now, &seed)
    tell("responder \(number) sends for \(one.id): \(outcome)")
    _ = responders[number].desk.record(outcome, of: one.id, at: server.now)
    var report = CaseReport(
      sent: ByteString(body.json), httpStatus: status.map(Int64.init), at: server.now)
    report.preference = body.refundPreference
    if case .refused(let refusal) = outcome { report.errorCode = refusal.code }
    guard let id = CaseID(one.id) else { return fail("\(one.id) is no case") }
    responders[number].stage = .reporting(id, report)
  }

  private mutating func tell(_ report: CaseReport, of id: CaseID, _ number: Int) throws {
    responders[number].stage = .idle
    let (transaction, at) = (id.transaction.string, report.at?.microseconds ?? now)
    let had = reference.cases[transaction]?.first { $0.number == id.number }?.response
    _ = reference.respond(
      transaction, number: Int(id.number), preference: report.preference?.string,
      isSuccess: report.isSuccess, now: at)
    let outcome = try attempt { try $0.run(.answerCase(id, report)) }.answer
    switch outcome {
    case .refundCase(.noted) where had == nil: break
    case .refundCase(.alreadyAnswered) where had != nil: break
    default: fail("report of \(id.text) answered \(outcome as Any)")
    }
  }
}
