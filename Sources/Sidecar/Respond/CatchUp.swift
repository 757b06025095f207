import AppStore
import Foundation
import Metering
import Store
import Wire

/// Fetches what Apple couldn't deliver, on a thread of its own: at start, after an outage, and now
/// and then, since a fault before our door can't be seen from inside. What can't be asked or taken
/// keeps nothing else from being fetched.
final class CatchUp: @unchecked Sendable {
  // Unchecked: `wanted` is thread-safe; everything else belongs to the thread that calls `run`.
  private let sidecar: SidecarConnection
  private let appStore: AppStoreConnection
  private let bundleIds: [ByteString]
  private let environments: [StoreEnvironment]
  private let state: ResponderState
  private let wanted = DispatchSemaphore(value: 0)
  /// What the sidecar has already judged.
  private var known = KnownPayloads()
  /// Cases whose refunds are still to be looked up; nil before they are listed.
  private var cases: [OpenCase]?
  /// What was told last of each place that makes trouble, so that the same is told once.
  private var told: [String: String] = [:]

  init(
    sidecar: SidecarConnection, appStore: AppStoreConnection, configuration: Configuration,
    state: ResponderState
  ) {
    self.sidecar = sidecar
    self.appStore = appStore
    self.state = state
    bundleIds = configuration.appStore?.bundleIds ?? []
    environments = configuration.storeEnvironments
  }

  /// Looks again soon.
  func want() { wanted.signal() }

  /// Works until the end.
  func run() {
    while !state.isStopped {
      let isDone = fetchNotifications()
      let isDoneWithRefunds = fetchRefunds()
      let delay =
        isDone && isDoneWithRefunds
        ? RespondLimits.catchUpSeconds : RespondLimits.catchUpRetrySeconds
      _ = wanted.wait(timeout: .now() + delay)
      // Many outages are one.
      while wanted.wait(timeout: .now()) == .success {}
      state.pause(milliseconds: RespondLimits.catchUpSpacingMilliseconds)
    }
  }

  /// Does one thing of several. A fault is told, unless it was the last thing told of the place.
  private func attempt(_ place: String, _ work: () throws -> Void) -> Bool {
    do {
      try work()
      if told.removeValue(forKey: place) != nil { Log.write("catching up: \(place): right again") }
      return true
    } catch {
      let text = "\(error)"
      if told.updateValue(text, forKey: place) != text {
        Log.write("catching up: \(place): \(text); will try again")
      }
      return false
    }
  }

  // MARK: Notifications

  /// Every notification that Apple couldn't deliver; false when some couldn't be asked for.
  private func fetchNotifications() -> Bool {
    var isDone = true
    for bundleId in bundleIds {
      for environment in environments where !state.isStopped {
        let place = "\(bundleId) in \(environment.rawValue)"
        isDone = attempt(place) { try fetchNotifications(bundleId, environment) } && isDone
      }
    }
    return isDone
  }

  private func fetchNotifications(_ bundleId: ByteString, _ environment: StoreEnvironment) throws {
    var ahead = state.aheadOfUs
    var question = question(ahead)
    var token: ByteString?
    for _ in 0..<RespondLimits.historyPages where !state.isStopped {
      let answer = try appStore.ask(
        question.call(paginationToken: token), bundleId: bundleId, in: environment)
      // The first answer may tell that Apple's clock is ahead: the newest failures were left out.
      if token == nil, abs(state.aheadOfUs - ahead) > RespondLimits.agreeingClocksMicroseconds {
        ahead = state.aheadOfUs
        question = self.question(ahead)
        continue
      }
      let page = try NotificationHistoryPage(answer)
      for notification in page.notifications { try take(notification.signedPayload) }
      token = page.next
      if token == nil { return }
    }
  }

  /// All that failed, of every type: an outcome that stays lost leaves its case without one.
  private func question(_ ahead: Int64) -> NotificationHistoryQuestion {
    let now = SystemClock.now().adding(microseconds: ahead)
    return NotificationHistoryQuestion(
      start: now.adding(microseconds: -RespondLimits.lookBackMicroseconds), end: now,
      isOnlyFailures: true)
  }

  private func take(_ payload: ByteString) throws {
    guard !known.contains(payload) else { return }
    let claims = UnverifiedPayload(payload)
    let now = SystemClock.now().adding(microseconds: state.aheadOfUs)
    let oldest = now.adding(microseconds: -RespondLimits.requestMicroseconds)
    if claims.notificationType == "CONSUMPTION_REQUEST", let date = claims.signedDate,
      date < oldest
    {
      return known.insert(payload)
    }
    let fed = try feed(payload, to: .notification)
    known.insert(payload)
    state.note { $0.notificationsFed[fed, default: 0] += 1 }
  }

  // MARK: Refunds

  /// The refunds of those customers who asked for one and whose outcome isn't known: it may have
  /// come while we were away. Each customer once; false when some couldn't be looked up.
  private func fetchRefunds() -> Bool {
    if cases == nil {
      guard attempt("cases without an outcome", { cases = try casesWithoutOutcome() }) else {
        return false
      }
    }
    var left: [OpenCase] = []
    for one in cases ?? [] {
      guard !state.isStopped else { return true }
      if !attempt("case \(one.id)", { try fetchRefunds(of: one) }) { left.append(one) }
    }
    cases = left
    return left.isEmpty
  }

  private func fetchRefunds(of one: OpenCase) throws {
    guard let environment = one.environment else { return }
    let since = SystemClock.now().adding(
      microseconds: state.aheadOfUs - RespondLimits.requestMicroseconds)
    for bundleId in bundleIds {
      do throws(AppStoreFault) {
        try fetchRefunds(of: one, bundleId, environment, since: since)
        return
      } catch {
        // Another app's purchase is looked for on.
        guard error.isUnknownTransaction else { throw error }
      }
    }
  }

  private func fetchRefunds(
    of one: OpenCase, _ bundleId: ByteString, _ environment: StoreEnvironment, since: Instant
  ) throws(AppStoreFault) {
    var revision: ByteString?
    for _ in 0..<RespondLimits.historyPages where !state.isStopped {
      let answer = try appStore.ask(
        .refundHistory(of: one.transactionId, revision: revision), bundleId: bundleId,
        in: environment)
      do {
        let page = try RefundHistoryPage(answer)
        for signed in page.signedTransactions {
          let claims = UnverifiedPayload(signed)
          guard claims.isRecent(since) || claims.transactionId == one.transactionId else {
            continue
          }
          let fed = try feed(signed, to: .transaction)
          state.note { $0.transactionsFed[fed, default: 0] += 1 }
        }
        revision = page.next
      } catch {
        throw .malformed("\(error)")
      }
      if revision == nil { return }
    }
  }

  private func casesWithoutOutcome() throws(SidecarConnection.Fault) -> [OpenCase] {
    var cases: [OpenCase] = []
    for word in ["open", "answered", "missed"] {
      var target: String? = "/v1/refund-requests?state=\(word)&limit=\(RespondLimits.pageCases)"
      while let current = target, cases.count < RespondLimits.refundLookUps {
        let page = try sidecar.send("GET", current)
        cases += (page?["items"]?.elements ?? []).compactMap { OpenCase($0) }
        target = page?["next"]?.string.map { next in
          "/v1/refund-requests?state=\(word)&limit=\(RespondLimits.pageCases)"
            + "&cursor=\(PercentCoding.encode(next.bytes))"
        }
      }
    }
    return Array(cases.prefix(RespondLimits.refundLookUps))
  }

  /// Gives a payload to the sidecar, which alone judges it. Throws when it may be given again.
  private func feed(
    _ payload: ByteString, to route: SidecarConnection.SignedRoute
  ) throws -> ResponderMetrics.Fed {
    do throws(SidecarConnection.Fault) {
      try sidecar.feed(payload, to: route)
      return .taken
    } catch {
      if error.isTemporary { throw error }
      Log.write("catching up: a payload is refused: \(error)")
      return .refused
    }
  }
}
