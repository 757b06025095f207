import AppStore
import Metering
import Testing

@testable import Sidecar

/// When an answer is sent again, as tables.
struct RetryPlanTests {
  /// Seconds that an attempt is made after, and what it comes to.
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var environment = StoreEnvironment.production
    var outcomes: [RetryPlan.Outcome]
    /// When the attempts are made, seconds from the start.
    var sentAt: [Int64]
    var end: RetryPlan.End

    var testDescription: String { name }
  }

  private static let start = Instant(milliseconds: 1_790_000_000_000)
  private static let hours12: Int64 = 43_200

  private static func seconds(_ value: Int64) -> Instant {
    start.adding(microseconds: value * 1_000_000)
  }

  private static func refusal(
    _ status: Int, _ code: Int64? = nil, retryAfter: Int64? = nil
  ) -> RetryPlan.Outcome {
    var body = ""
    if let code { body = #"{"errorCode":\#(code),"errorMessage":"m"}"# }
    let header = retryAfter.map { "\(seconds($0).microseconds / 1000)" }
    return .refused(APIRefusal(status: status, body: Array(body.utf8), retryAfter: header))
  }

  private static func refused(_ status: Int, _ code: Int64? = nil) -> RetryPlan.End {
    guard case .refused(let refusal) = refusal(status, code) else { return .tooLate }
    return .refused(refusal)
  }

  private static let rows: [Row] = [
    Row(name: "taken at once", outcomes: [.accepted], sentAt: [0], end: .answered),
    Row(
      name: "network errors double the wait",
      outcomes: [
        .unreachable, .unreachable, .unreachable, .unreachable, .accepted,
      ], sentAt: [0, 2, 6, 14, 30], end: .answered),
    Row(
      name: "5xx is tried again",
      outcomes: [
        refusal(500, 5_000_000), refusal(500, 5_000_001), refusal(503), .accepted,
      ], sentAt: [0, 2, 6, 14], end: .answered),
    Row(
      name: "a redirect is none of Apple's", outcomes: [refusal(302), .accepted], sentAt: [0, 2],
      end: .answered),
    Row(
      name: "429 waits until Apple's instant",
      outcomes: [refusal(429, 4_290_000, retryAfter: 100), .accepted], sentAt: [0, 100],
      end: .answered),
    Row(
      name: "429 of a clock behind ours waits the usual",
      outcomes: [refusal(429, 4_290_000, retryAfter: -100), .accepted], sentAt: [0, 2],
      end: .answered),
    Row(
      name: "429 without an instant waits the usual", outcomes: [refusal(429), .accepted],
      sentAt: [0, 2], end: .answered),
    Row(
      name: "429 beyond the end", outcomes: [refusal(429, retryAfter: hours12 - 299)], sentAt: [0],
      end: .tooLate),
    Row(
      name: "429 until just before the end",
      outcomes: [refusal(429, retryAfter: hours12 - 300), .accepted], sentAt: [0, hours12 - 300],
      end: .answered),
    Row(
      name: "401 once more", outcomes: [refusal(401), .accepted], sentAt: [0, 0], end: .answered),
    Row(
      name: "401 twice", outcomes: [refusal(401), refusal(401)], sentAt: [0, 0],
      end: refused(401)),
    Row(
      name: "401 once, whatever comes between",
      outcomes: [refusal(401), .unreachable, refusal(401)], sentAt: [0, 0, 4], end: refused(401)),
    Row(
      name: "a subscription's percentage is left out once",
      outcomes: [refusal(400, 4_000_209), .accepted], sentAt: [0, 0], end: .answered),
    Row(
      name: "a subscription's percentage twice",
      outcomes: [refusal(400, 4_000_209), refusal(400, 4_000_209)], sentAt: [0, 0],
      end: refused(400, 4_000_209)),
    Row(
      name: "400 is final", outcomes: [refusal(400, 4_000_036)], sentAt: [0],
      end: refused(400, 4_000_036)),
    Row(
      name: "an unknown number is kept", outcomes: [refusal(400, 4_999_999)], sentAt: [0],
      end: refused(400, 4_999_999)),
    Row(name: "400 without a number", outcomes: [refusal(400)], sentAt: [0], end: refused(400)),
    Row(
      name: "404 is final", outcomes: [refusal(404, 4_040_010)], sentAt: [0],
      end: refused(404, 4_040_010)),
    Row(
      name: "the sandbox's five minutes", environment: .sandbox,
      outcomes: Array(repeating: .unreachable, count: 21),
      sentAt: [0, 2, 6, 14] + (0..<16).map { 29 + 15 * $0 } + [268], end: .tooLate),
  ]

  @Test(arguments: rows)
  func follows(row: Row) {
    let respondBy = Self.seconds(row.environment == .sandbox ? 300 : Self.hours12)
    var plan = RetryPlan(environment: row.environment, respondBy: respondBy)
    var now = Self.start
    var sent: [Int64] = []
    for _ in 0..<100 {
      switch plan.action(at: now) {
      case .send:
        sent.append((now.microseconds - Self.start.microseconds) / 1_000_000)
        guard sent.count <= row.outcomes.count else { break }
        plan.record(row.outcomes[sent.count - 1], at: now)
      case .wait(let until):
        #expect(until > now)
        #expect(plan.action(at: until.adding(microseconds: -1)) == .wait(until: until))
        now = until
      case .end(let end):
        #expect(end == row.end)
        #expect(sent == row.sentAt)
        return
      }
    }
    Issue.record("no end after \(sent)")
  }

  @Test func variantsSayWhatIsOtherThisTime() {
    var plan = RetryPlan(environment: .production, respondBy: Self.seconds(3_600))
    #expect(plan.action(at: Self.start) == .send(RetryPlan.Variant()))
    plan.record(Self.refusal(400, 4_000_209), at: Self.start)
    var variant = RetryPlan.Variant()
    variant.omitsPercentage = true
    #expect(plan.action(at: Self.start) == .send(variant))
    plan.record(Self.refusal(401), at: Self.start)
    variant.trustsServerClock = true
    #expect(plan.action(at: Self.start) == .send(variant))
  }

  @Test func aFirstAttemptMayUseTheMarginAndAnotherMayNot() {
    let respondBy = Self.seconds(Self.hours12)
    for (before, first, second) in [(301, true, true), (299, true, false), (0, true, false)] {
      let now = respondBy.adding(microseconds: Int64(-before) * 1_000_000)
      var plan = RetryPlan(environment: .production, respondBy: respondBy)
      #expect((plan.action(at: now) == .send(RetryPlan.Variant())) == first)
      plan.record(Self.refusal(401), at: now)
      #expect((plan.action(at: now) != .end(.tooLate)) == second)
    }
    let late = RetryPlan(environment: .production, respondBy: respondBy)
    #expect(late.action(at: respondBy.adding(microseconds: 1)) == .end(.tooLate))
  }

  /// Nothing is ever sent in the margin, whatever fails and whenever the loop wakes up.
  @Test func noRetryLeavesTheMargin() {
    var random = RandomSequence(seed: Binary.seed)
    for _ in 0..<200 {
      let environment = StoreEnvironment.allCases.randomElement(using: &random) ?? .sandbox
      let length: Int64 = environment == .production ? 43_200 : 300
      let margin: Int64 = environment == .production ? 300 : 30
      var plan = RetryPlan(environment: environment, respondBy: Self.seconds(length))
      var now = Self.start
      var sent: [Instant] = []
      while sent.count < 1_000 {
        let action = plan.action(at: now)
        if case .end(let end) = action {
          #expect(end == .tooLate)
          break
        }
        if case .wait(let until) = action {
          now = until.adding(microseconds: .random(in: 0...500_000, using: &random))
          continue
        }
        sent.append(now)
        now = now.adding(microseconds: .random(in: 0...1_000_000, using: &random))
        plan.record(
          [.unreachable, Self.refusal(500)].randomElement(using: &random) ?? .unreachable, at: now)
      }
      #expect(sent.count > 10 && sent.count < 1_000)
      #expect(sent.allSatisfy { $0 <= Self.seconds(length - margin) })
      // And the time is used: the last attempt is near the margin.
      #expect(sent.last.map { $0 > Self.seconds(length - margin - 20) } == true)
    }
  }
}
