import AppStore
import Foundation
import Metering

/// `outlay extend`: gives a subscriber days, for an outage or as a courtesy.
package struct ExtendCommand {
  /// The subscription.
  private let subscription: String
  private let days: Int
  private let reason: RenewalExtension.Reason
  private let environment: StoreEnvironment
  private let bundle: String?

  /// Days that one extension may have.
  package static let days = RenewalExtension.dayRange

  /// Extends by so many ``days``, for a reason and in an environment that are told in words.
  /// Throws for other words.
  package init(
    subscription: String, days: Int, reason: String?, environment: String?, bundle: String?
  ) throws(UsageFault) {
    self.subscription = subscription
    self.days = days
    let reasons = RenewalExtension.Reason.allCases
    guard let known = reasons.first(where: { $0.name == reason ?? "undeclared" }) else {
      let names = reasons.map(\.name).joined(separator: ", ")
      throw UsageFault("--reason is one of \(names)")
    }
    self.reason = known
    self.environment = try AppStoreSession.environment(environment)
    self.bundle = bundle
  }

  /// Asks on the terminal unless `isSure`, since it can't be undone, and prints what became of it.
  /// Returns 1 when it wasn't extended.
  package func run(_ session: AppStoreSession, isSure: Bool) throws -> Int32 {
    let bundleId = try session.bundleId(bundle)
    if !isSure, !asks(bundleId) {
      Console.complain("nothing was done")
      return ExitCode.failure
    }
    let answer = try session.connection.ask(
      .extend(
        RenewalExtension(
          of: ByteString(subscription), days: days, reason: reason,
          requestIdentifier: ByteString(UUID().uuidString))),
      bundleId: bundleId, in: environment)
    let done = try ExtendedRenewal(answer)
    guard done.isExtended else { throw CommandFailure("Apple has not extended it") }
    let date = done.effectiveDate.map { "; it renews at \($0)" } ?? ""
    Console.print("\(subscription) is extended by \(days) days\(date)\n")
    return ExitCode.success
  }

  private func asks(_ bundleId: ByteString) -> Bool {
    Console.print(
      "Extend subscription \(subscription) of \(bundleId) (\(environment.rawValue)) by \(days) "
        + "days, reason \(reason.name)? It can't be undone; Apple allows two in 365 days. [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased())
  }
}
