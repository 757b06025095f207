import Foundation
import Metering
import Store
import Testing

/// A store in a folder of its own that is told of purchases by notifications. Times are days after
/// a fixed start.
final class LifeDesk {
  static let meters = """
    meters: { credits: { unit: "{credit}" },
              storage: { unit: "By", kind: "level", units: { GB: "1000000000" } } },
    prices: [{ meter: "credits", price: "0.001", per: "1", currency: "USD" }],
    products: { "com.example.credits.5000": { allowance: { credits: "5000" } },
                "com.example.pro": { allowance: { credits: "1000" } } },
    """

  private let scratch: ScratchBooks
  private var configuration: Configuration
  private var books: Books
  private var events = 0

  /// `more` are members of the configuration beside `meters`.
  init(_ more: String = "", meters: String = LifeDesk.meters) throws {
    scratch = try ScratchBooks()
    configuration = try ScratchBooks.load("{ \(meters) \(more) }")
    books = try scratch.open(configuration, options: Self.options)
  }

  private static let options = Books.Options(segmentBytes: 1 << 20)

  static func day(_ day: Double) -> Instant {
    Instant(milliseconds: milliseconds(day))
  }

  static func milliseconds(_ day: Double) -> Int64 { 1_796_000_000_000 + Int64(day * 86_400_000) }

  func flush() throws {
    books.freeze()
    _ = try books.flush()
  }

  /// Ends as after a crash, and begins again.
  func restart() throws { books = try scratch.open(configuration, options: Self.options) }

  /// Begins again under the same configuration as an operator's reload does.
  func reload() throws { try books.reload(configuration) }

  /// Puts another configuration in force.
  func reload(_ more: String, meters: String = LifeDesk.meters) throws {
    configuration = try ScratchBooks.load("{ \(meters) \(more) }")
    try books.reload(configuration)
  }

  @discardableResult
  func run(_ command: Command, at day: Double) throws -> CommandOutcome? {
    try books.commit(
      IngestBatch(), steps: [.command(command)], at: CommitTime(now: Self.day(day), elapsed: 0)
    ).outcomes.first
  }

  /// Several commands in one batch.
  func run(_ commands: [Command], at day: Double) throws {
    _ = try books.commit(
      IngestBatch(), steps: commands.map { .command($0) },
      at: CommitTime(now: Self.day(day), elapsed: 0))
  }

  @discardableResult
  func notify(_ notification: StoreNotification, at day: Double? = nil) throws
    -> NotificationOutcome
  {
    let now = day.map(Self.day) ?? notification.signedDate
    let result = try books.commit(
      IngestBatch(), steps: [.command(.notify(notification))],
      at: CommitTime(now: now, elapsed: 0))
    guard case .notified(let outcome) = result.outcomes.first else {
      throw SubjectFault(description: "\(result.outcomes)")
    }
    return outcome
  }

  /// Sends usage for a subject, `transactionId` or `originalTransactionId`, at its own time.
  @discardableResult
  func use(
    _ quantity: String, _ id: String, at day: Double, meter: String = "credits",
    subject: String = "transactionId"
  ) throws -> Verdict? {
    events += 1
    let time = Self.day(day).description
    let line = """
      {"id":"\(events)","\(subject)":"\(id)","meter":"\(meter)","quantity":"\(quantity)",\
      "time":"\(time)"}
      """
    return try send(line, at: day)
  }

  /// Sends one event as written.
  @discardableResult
  func send(_ line: String, at day: Double) throws -> Verdict? {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    return try books.commit(
      batch, steps: [.events(1)], at: CommitTime(now: Self.day(day), elapsed: 0)
    ).verdicts.first
  }

  func ask<Answer>(_ question: (any StoreQueries) throws -> Answer) throws -> Answer {
    try books.ask(try books.makeView()) { try question($0) }
  }

  /// Where the books differ from what the journal makes of it.
  func differences() throws -> [String] {
    try flush()
    return try Verification.run(
      directory: scratch.directory, disk: LinuxDisk(root: scratch.directory),
      configuration: configuration
    ).differences
  }

  var totals: Totals { books.totals }

  func consumption(_ id: String, at day: Double) throws -> JSONNode? {
    let json = try ask {
      try ConsumptionAnswer(
        transaction: ByteString(id), from: $0, configuration: configuration, now: Self.day(day))?
        .json
    }
    return try json.map { try JSONNode.parse($0, dialect: .strict) }
  }

  /// State, share and money of a purchase in one line.
  func figures(_ id: String, at day: Double) throws -> String {
    guard let node = try consumption(id, at: day) else { return "unknown" }
    func money(_ node: JSONNode?) -> String {
      (node?.elements ?? []).compactMap { $0["amount"]?.string?.string }.joined(separator: "+")
    }
    let share = node["usage"]?.elements?.first?["share"]?.integer.map(String.init) ?? "-"
    let forecast = node["commitment"]?["forecastAtRisk"]?["amount"]?.string?.string
    return [
      node["state"]?.string?.string ?? "-", share, "cost", money(node["cost"]?["totals"]),
      "kept", node["proceeds"]?["kept"]?.string?.string ?? "-", "loss",
      money(node["realisedLoss"]), "leak", money(node["leak"]),
      forecast.map { "forecast \($0)" },
      node["unpaid"].map { "unpaid \(money($0))" },
    ].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// Notifications of one app, as Apple would word them.
enum Told {
  /// A transaction's payload; `more` are further members.
  static func transaction(
    _ id: String, original: String? = nil, product: String = "com.example.credits.5000",
    type: String = "Consumable", bought: Double = 0, expires: Double? = nil,
    price: Int64 = 9_990, signed: Double, _ more: String = ""
  ) throws -> StoreNotification.Transaction {
    var members = [
      "\"transactionId\":\"\(id)\"", "\"originalTransactionId\":\"\(original ?? id)\"",
      "\"productId\":\"\(product)\"", "\"type\":\"\(type)\"", "\"environment\":\"Production\"",
      "\"purchaseDate\":\(LifeDesk.milliseconds(bought))", "\"price\":\(price)",
      "\"currency\":\"USD\"", "\"signedDate\":\(LifeDesk.milliseconds(signed))",
    ]
    if let expires { members.append("\"expiresDate\":\(LifeDesk.milliseconds(expires))") }
    if !more.contains("inAppOwnershipType") {
      members.append("\"inAppOwnershipType\":\"PURCHASED\"")
    }
    if !more.isEmpty { members.append(more) }
    let text = Array("{\(members.joined(separator: ","))}".utf8)
    return StoreNotification.Transaction(
      id: ByteString(id), payload: try Purchase(payload: JSONNode.parse(text, dialect: .strict)))
  }

  /// One month of a subscription, thirty days long.
  static func month(
    _ number: Int, bought: Double? = nil, signed: Double, _ more: String = "",
    commitment: Double? = nil
  ) throws -> StoreNotification.Transaction {
    let start = bought ?? Double(number - 1) * 30
    var members = [more]
    if let commitment {
      members.append(
        "\"billingPlanType\":\"MONTHLY\",\"commitmentInfo\":{\"billingPeriodNumber\":\(number),"
          + "\"totalBillingPeriods\":12,"
          + "\"commitmentExpiresDate\":\(LifeDesk.milliseconds(commitment))}")
    }
    return try transaction(
      "m\(number)", original: "m1", product: "com.example.pro",
      type: "Auto-Renewable Subscription", bought: start, expires: start + 30, price: 6_990,
      signed: signed, members.filter { !$0.isEmpty }.joined(separator: ","))
  }

  static func refund(_ day: Double) -> String {
    "\"revocationDate\":\(LifeDesk.milliseconds(day)),\"revocationReason\":0,"
      + "\"revocationType\":\"REFUND_FULL\""
  }

  static func renewal(
    signed: Double, grace: Double? = nil, isRetried: Bool = false, autoRenew: Int64 = 1
  ) -> RenewalInfo {
    var info = RenewalInfo(originalTransactionId: "m1", signedDate: LifeDesk.day(signed))
    info.autoRenewStatus = autoRenew
    info.isInBillingRetryPeriod = isRetried
    info.gracePeriodExpiresDate = grace.map(LifeDesk.day)
    return info
  }

  static func notification(
    _ type: String, _ subtype: String? = nil, signed: Double,
    _ transaction: StoreNotification.Transaction? = nil, renewal: RenewalInfo? = nil,
    reason: String? = nil, id: String? = nil
  ) -> StoreNotification {
    var told = StoreNotification(
      id: ByteString(id ?? "\(type)/\(subtype ?? "-")/\(signed)"), type: ByteString(type),
      subtype: subtype.map { ByteString($0) }, signedDate: LifeDesk.day(signed))
    told.transaction = transaction
    told.renewal = renewal
    told.reason = reason.map { ByteString($0) }
    return told
  }
}
