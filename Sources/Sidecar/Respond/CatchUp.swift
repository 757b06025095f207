import AppStore
import Foundation
import Metering
import Wire

/// Fetches what Apple couldn't deliver, on a thread of its own: at start, after an outage, and now
/// and then, since a fault before our door can't be seen from inside.
final class CatchUp: @unchecked Sendable {
  // Unchecked: the connections belong to the thread that calls `run`; `wanted` is thread-safe.
  private let sidecar: SidecarConnection
  private let appStore: AppStoreConnection
  private let bundleIds: [ByteString]
  private let environments: [StoreEnvironment]
  private let state: ResponderState
  private let wanted = DispatchSemaphore(value: 0)

  init(
    sidecar: SidecarConnection, appStore: AppStoreConnection, configuration: Configuration,
    state: ResponderState
  ) {
    self.sidecar = sidecar
    self.appStore = appStore
    self.state = state
    bundleIds = configuration.appStore?.bundleIds ?? []
    environments = configuration.environments.compactMap { StoreEnvironment($0) }
  }

  /// Looks again soon.
  func want() { wanted.signal() }

  /// Works until the end.
  func run() {
    var hasLookedForRefunds = false
    while !state.isStopped {
      var delay = RespondLimits.catchUpSeconds
      do {
        try fetchNotifications()
        if !hasLookedForRefunds { try fetchRefunds() }
        hasLookedForRefunds = true
      } catch {
        Log.write("catching up failed, will try again: \(error)")
        delay = RespondLimits.catchUpRetrySeconds
      }
      _ = wanted.wait(timeout: .now() + delay)
      // Many outages are one.
      while wanted.wait(timeout: .now()) == .success {}
      state.pause(milliseconds: RespondLimits.catchUpSpacingMilliseconds)
    }
  }

  /// Every refund request of the last hours that Apple couldn't deliver.
  private func fetchNotifications() throws {
    let now = Clock.now()
    let question = NotificationHistoryQuestion(
      start: now.adding(microseconds: -RespondLimits.lookBackMicroseconds), end: now,
      notificationType: "CONSUMPTION_REQUEST", isOnlyFailures: true)
    for bundleId in bundleIds {
      for environment in environments {
        var token: ByteString?
        for _ in 0..<RespondLimits.historyPages {
          let answer = try appStore.ask(
            question.call(paginationToken: token), bundleId: bundleId, in: environment)
          let page = try NotificationHistoryPage(answer)
          for notification in page.notifications {
            let fed = try feed(notification.signedPayload, to: .notification)
            state.note { $0.notificationsFed[fed, default: 0] += 1 }
          }
          token = page.next
          if token == nil || state.isStopped { break }
        }
      }
    }
  }

  /// The refunds of those customers who asked for one and whose outcome isn't known: it may have
  /// come while we were away.
  private func fetchRefunds() throws {
    let since = Clock.now().adding(microseconds: -RespondLimits.lookBackMicroseconds)
    for one in try casesWithoutOutcome() {
      guard let environment = one.environment, !state.isStopped else { continue }
      for bundleId in bundleIds {
        do {
          try fetchRefunds(of: one, bundleId, environment, since: since)
        } catch AppStoreFault.refused(let refusal)
          where refusal.code == APIRefusal.transactionNotFound
        {
          // Another app's purchase.
          continue
        }
        break
      }
    }
  }

  private func fetchRefunds(
    of one: OpenCase, _ bundleId: ByteString, _ environment: StoreEnvironment, since: Instant
  ) throws {
    var revision: ByteString?
    for _ in 0..<RespondLimits.historyPages {
      let answer = try appStore.ask(
        .refundHistory(of: one.transactionId, revision: revision), bundleId: bundleId,
        in: environment)
      let page = try RefundHistoryPage(answer)
      for signed in page.signedTransactions {
        let claims = UnverifiedPayload(signed)
        guard claims.isRecent(since) || claims.transactionId == one.transactionId else { continue }
        let fed = try feed(signed, to: .transaction)
        state.note { $0.transactionsFed[fed, default: 0] += 1 }
      }
      revision = page.next
      if revision == nil || state.isStopped { return }
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
