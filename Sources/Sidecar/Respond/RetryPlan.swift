package import AppStore
package import Metering

/// When the answer to one refund request is sent, again or no more. It is fed instants and results
/// and says what to do; it reads no clock.
package struct RetryPlan: Equatable, Sendable {
  /// What to do now.
  package enum Action: Equatable, Sendable {
    /// Send it.
    case send(Variant)
    /// Nothing before this instant.
    case wait(until: Instant)
    /// Nothing ever again.
    case end(End)
  }

  /// How an answer is sent.
  package struct Variant: Equatable, Sendable {
    /// Without `consumptionPercentage`, which Apple has refused for this purchase.
    package var omitsPercentage = false
    /// With a token dated by Apple's clock, since one by ours was refused.
    package var trustsServerClock = false

    /// The usual way.
    package init() {}
  }

  /// Why nothing more is sent.
  package enum End: Equatable, Sendable {
    /// Apple took it.
    case answered
    /// Apple refused it for good.
    case refused(APIRefusal)
    /// The time to answer is over.
    case tooLate
  }

  /// What an attempt came to.
  package enum Outcome: Equatable, Sendable {
    /// 2xx.
    case accepted
    /// Another status.
    case refused(APIRefusal)
    /// No answer at all.
    case unreachable
  }

  /// Attempts so far.
  package private(set) var attempts = 0
  private var respondBy: Instant
  private let pace: Pace
  private var notBefore = Instant.distantPast
  private var variant = Variant()
  private var end: End?

  /// Plans for a case of an environment that is to be answered by an instant.
  package init(environment: StoreEnvironment, respondBy: Instant) {
    self.respondBy = respondBy
    pace = environment == .production ? .production : .sandbox
  }

  /// Another request for the same purchase moves the end: the plan follows it.
  package mutating func move(to respondBy: Instant) {
    guard respondBy != self.respondBy else { return }
    if respondBy > self.respondBy, end == .tooLate { end = nil }
    self.respondBy = respondBy
    guard attempts > 0 else { return }
    notBefore = min(notBefore, lastRetry.adding(microseconds: -pace.slack))
  }

  /// Whether nothing more will be sent, whatever the time.
  package var isOver: Bool { end != nil }

  /// Whether its time is over by an instant though it was tried.
  package func hasFailed(at now: Instant) -> Bool {
    attempts > 0 && action(at: now) == .end(.tooLate)
  }

  /// What to do at an instant.
  package func action(at now: Instant) -> Action {
    if let end { return .end(end) }
    // A first attempt may use the time up to the end; only a repeated one must leave the margin.
    guard now <= (attempts == 0 ? respondBy : lastRetry) else { return .end(.tooLate) }
    if now < notBefore { return .wait(until: notBefore) }
    return .send(variant)
  }

  /// Takes in what an attempt came to, as of its end.
  package mutating func record(_ outcome: Outcome, at now: Instant) {
    attempts += 1
    switch outcome {
    case .accepted: end = .answered
    case .unreachable: backOff(at: now)
    case .refused(let refusal): record(refusal, at: now)
    }
  }

  private mutating func record(_ refusal: APIRefusal, at now: Instant) {
    switch refusal.status {
    case 401 where !variant.trustsServerClock:
      variant.trustsServerClock = true
      notBefore = now
    case 400
    where refusal.code == APIRefusal.percentageOfSubscription && !variant.omitsPercentage:
      variant.omitsPercentage = true
      notBefore = now
    case 429:
      backOff(at: now)
      guard let until = refusal.retryAfter, end == nil else { return }
      // Waiting by Apple's clock is no waiting where ours is ahead, hence not less than the usual.
      notBefore = max(notBefore, until)
      if notBefore > lastRetry { end = .tooLate }
    case 400..<500: end = .refused(refusal)
    default: backOff(at: now)
    }
  }

  /// Waits longer from time to time, but leaves a last attempt in time.
  private mutating func backOff(at now: Instant) {
    let latest = lastRetry.adding(microseconds: -pace.slack)
    guard now < latest else {
      end = .tooLate
      return
    }
    let doublings = min(attempts - 1, Pace.mostDoublings)
    let delay = min(Pace.firstDelay << Int64(doublings), pace.longestDelay)
    notBefore = min(now.adding(microseconds: delay), latest)
  }

  /// From here on nothing is sent again.
  private var lastRetry: Instant { respondBy.adding(microseconds: -pace.margin) }
}

extension RetryPlan {
  /// How quickly an environment's cases are tried again, in microseconds.
  private struct Pace: Equatable {
    /// What a repeated attempt leaves of the time to answer (contract §6).
    var margin: Int64
    /// The longest wait between two attempts.
    var longestDelay: Int64
    /// What the last attempt leaves of the time for attempts, so that a late wake-up makes it.
    var slack: Int64

    static let production = Pace(
      margin: 300_000_000, longestDelay: 600_000_000, slack: 10_000_000)
    /// The sandbox gives five minutes for all.
    static let sandbox = Pace(margin: 30_000_000, longestDelay: 15_000_000, slack: 2_000_000)

    /// The wait after a first failure; each further one doubles it.
    static let firstDelay: Int64 = 2_000_000
    /// Where doubling ends: beyond every longest delay.
    static let mostDoublings = 20
  }
}
