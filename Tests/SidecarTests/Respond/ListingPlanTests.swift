import Metering
import Testing

@testable import Sidecar

/// When the answering loop lists, works and rests, in virtual time.
struct ListingPlanTests {
  private static let start = Instant(milliseconds: 1_790_000_000_000)
  /// Monotonic nanoseconds of the start.
  private static let zero: UInt64 = 1_000_000_000_000

  private static func instant(_ milliseconds: Int64) -> Instant {
    start.adding(microseconds: milliseconds * 1000)
  }

  private static func monotonic(_ milliseconds: Int64) -> UInt64 {
    UInt64(Int64(zero) + milliseconds * 1_000_000)
  }

  private static func listed(
    at milliseconds: Int64 = 0, took: Int64 = 0, hasCursor: Bool = true
  ) -> ListingPlan {
    var plan = ListingPlan()
    plan.listed(
      from: monotonic(milliseconds - took), to: monotonic(milliseconds), hasCursor: hasCursor)
    return plan
  }

  private static func step(
    _ plan: ListingPlan, dueAt: Int64?, now: Int64
  ) -> ListingPlan.Step {
    let next = CaseDesk.Next.wait(until: dueAt.map(instant))
    return plan.step(next, at: instant(now), monotonic: monotonic(now))
  }

  private static func due() throws -> CaseDesk.Next {
    let text = """
      {"case":"a:1","respondBy":"\(instant(3_600_000))","consumption":{"transactionId":"a"}}
      """
    return .fill(try #require(OpenCase(try JSONNode.parse(Array(text.utf8), dialect: .strict))))
  }

  @Test(
    arguments: [
      // A moment's rest, then waiting for as long as nothing is due.
      (nil, 0, .rest(milliseconds: 200)), (nil, 199, .rest(milliseconds: 1)),
      (nil, 200, .list(seconds: 30)), (2_000, 0, .rest(milliseconds: 200)),
      (2_000, 600, .list(seconds: 1)), (90_000, 600, .list(seconds: 30)),
      // Less than a second can't be asked for, and a rest ends when something is due.
      (2_000, 1_200, .rest(milliseconds: 801)), (50, 0, .rest(milliseconds: 51)),
    ] as [(Int64?, Int64, ListingPlan.Step)])
  func waitsUntilSomethingIsDue(dueAt: Int64?, now: Int64, step: ListingPlan.Step) {
    #expect(Self.step(Self.listed(), dueAt: dueAt, now: now) == step)
  }

  @Test func whatIsDueIsDone() throws {
    let due = try Self.due()
    let first = ListingPlan().step(due, at: Self.start, monotonic: Self.zero)
    #expect(first == .list(seconds: 0))
    for now in [0, 1, 199, 200, 999] as [Int64] {
      let step = Self.listed().step(
        due, at: Self.instant(now), monotonic: Self.monotonic(now))
      #expect(step == .work, "\(now)")
    }
  }

  /// In a row of work it is looked once a second whether something is more urgent, but never for
  /// more than a tenth of the time.
  @Test func aRowOfWorkIsInterrupted() throws {
    let due = try Self.due()
    func step(took: Int64, now: Int64) -> ListingPlan.Step {
      Self.listed(took: took).step(
        due, at: Self.instant(now), monotonic: Self.monotonic(now))
    }
    #expect(step(took: 0, now: 999) == .work)
    #expect(step(took: 0, now: 1_000) == .list(seconds: 0))
    #expect(step(took: 500, now: 4_499) == .work)
    #expect(step(took: 500, now: 4_500) == .list(seconds: 0))
  }

  @Test func withoutACursorItAsksEachSecond() {
    let plan = Self.listed(hasCursor: false)
    #expect(Self.step(plan, dueAt: nil, now: 0) == .rest(milliseconds: 1_000))
    #expect(Self.step(plan, dueAt: nil, now: 1_000) == .list(seconds: 0))
    var forgotten = Self.listed()
    forgotten.forget()
    #expect(Self.step(forgotten, dueAt: nil, now: 5_000) == .list(seconds: 0))
  }

  /// However often others wake the loop, a retry comes when it is due.
  @Test func aRetryIsNeverLate() throws {
    var random = RandomSequence(seed: Binary.seed)
    let due = try Self.due()
    for _ in 0..<500 {
      let dueAt = Int64.random(in: 0...40_000, using: &random)
      var now: Int64 = 0
      var plan = Self.listed()
      while true {
        let next: CaseDesk.Next = now >= dueAt ? due : .wait(until: Self.instant(dueAt))
        let step = plan.step(next, at: Self.instant(now), monotonic: Self.monotonic(now))
        guard step != .work else { break }
        switch step {
        case .work: break
        case .rest(let milliseconds): now += Int64(milliseconds)
        case .list(let seconds):
          // Something may change in the middle of the wait.
          now += Int64.random(in: 0...Int64(seconds) * 1000, using: &random)
          plan.listed(from: Self.monotonic(now), to: Self.monotonic(now), hasCursor: true)
        }
        try #require(now <= dueAt + 1)
      }
      #expect((dueAt...dueAt + 1).contains(now))
    }
  }
}
