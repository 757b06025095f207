import Metering
import Store

/// What the log says of refund requests: who came, what holds an answer back, which ones were
/// missed. It is fed with the rollup's sums, so it names no transaction and no customer, and says
/// little however much happens.
struct CaseLog {
  /// Least time between two lines of one kind, nanoseconds: what happens meanwhile is told
  /// together.
  static let restNanoseconds: UInt64 = 10_000_000_000

  private var told: RollupReport
  /// When a kind may be told again.
  private var restUntil: [RollupKey.Family: UInt64] = [:]

  /// Begins with sums that are no news.
  init(_ report: RollupReport) { told = report }

  /// What a start finds open, told although it is no news; empty when nothing is.
  static func standing(_ report: RollupReport) -> [String] {
    gates(in: report).map { gate, count in
      "refund requests open: \(count), \(explanation(of: gate, report))"
    }
  }

  /// The lines that these sums are worth at an instant, monotonic nanoseconds.
  mutating func lines(_ report: RollupReport, now: UInt64) -> [String] {
    var lines: [String] = []
    for family in [RollupKey.Family.requests, .openCases, .missed]
    where now >= restUntil[family] ?? 0 {
      let found = Self.news(family, told, report)
      guard !found.isEmpty else { continue }
      restUntil[family] = now + Self.restNanoseconds
      for key in Self.keys(family, in: told, report) { told.take(key, from: report) }
      lines += found
    }
    return lines
  }

  private static func news(
    _ family: RollupKey.Family, _ old: RollupReport, _ new: RollupReport
  ) -> [String] {
    keys(family, in: old, new).compactMap { key in
      let count = number(key, new)
      let more = count - number(key, old)
      switch family {
      case .requests where more > 0:
        return "refund requests came: \(more), reason \(key.first.string)"
      case .missed where more > 0:
        return "refund requests missed: \(more), reason \(key.first.string); "
          + "GET /v1/refund-requests?state=missed lists them"
      case .openCases where more != 0 && (count > 0 || key.first != RollupKey.none):
        return "refund requests open: \(count), \(explanation(of: key.first, new))"
      default: return nil
      }
    }
  }

  private static func gates(in report: RollupReport) -> [(gate: ByteString, count: Int)] {
    keys(.openCases, in: report, report).map { ($0.first, number($0, report)) }
      .filter { $0.count > 0 }
  }

  private static func keys(
    _ family: RollupKey.Family, in old: RollupReport, _ new: RollupReport
  ) -> [RollupKey] {
    Set(old.values.keys).union(new.values.keys).filter { $0.family == family }.sorted()
  }

  private static func number(_ key: RollupKey, _ report: RollupReport) -> Int {
    Int(report.values[key] ?? 0)
  }

  /// What holds an answer back, and what lets it go.
  private static func explanation(of gate: ByteString, _ report: RollupReport) -> String {
    guard gate != RollupKey.none else {
      let until = report.respondBy.map { ", the first until \($0)" } ?? ""
      return "which can be answered\(until)"
    }
    let cause =
      switch Gate(rawValue: gate.string) {
      case .unknownPurchase: "only the request is known; PUT /v1/transactions/{id} fills it in"
      case .notConsented: "no consent of the customer is recorded; PUT …/consent does"
      case .deliveryUnknown: "nobody said whether it was delivered; PUT …/delivery does"
      case .revoked: "the purchase was taken back already"
      case .familyShared, .assigned: "Apple takes no answer for such a purchase"
      case .advancedCommerce: "it was made through the Advanced Commerce API"
      case .noCase, .answered, .late, nil: "nothing is to be sent"
      }
    return "held by \(gate.string): \(cause)"
  }
}
