import Metering
import Wire

/// What happens when customers want their money back: requests that are answered, gated and missed,
/// a refund and its reversal, and refunds of a past and of the current month of a commitment.
struct DemoRefunds {
  /// How long an answer may take, seconds.
  private static let patienceSeconds = 20

  private let address: ServerAddress
  private var apple: DemoNotifier
  private var table = TextTable(
    [
      "what happens", "transaction", "state", "request", "kept", "loss", "leak", "forecast",
      "told to Apple",
    ], rightAligned: [4, 5, 6, 7])

  /// Stories on the server at `address`, told by Apple to the responder beside it.
  init(address: ServerAddress, apple: DemoNotifier) {
    self.address = address
    self.apple = apple
  }

  /// Lets it all happen and returns a table of it. Throws when a process refuses, and when what is
  /// to be answered isn't.
  mutating func run() throws(CommandFailure) -> String {
    let credits = DemoPurchase.credits
    try put("/v1/customers/anna/consent", "{\"consented\":true}")
    try put("/v1/transactions/\(credits.id)/customer", "{\"customer\":\"anna\"}")
    try apple.ask(credits, reason: "UNSATISFIED_WITH_PURCHASE")
    try waitForAnswer()
    try note("a customer asks for a refund", credits)
    try apple.ask(.undelivered, reason: "UNINTENDED_PURCHASE")
    try note("another asks, and never consented", .undelivered)
    try apple.ask(.unheardOf, reason: "OTHER", hoursAgo: 13)
    try note("Apple reaches us after 13 hours", .unheardOf)
    try apple.refund(credits)
    try note("Apple refunds the credits", credits)
    try apple.reverse(credits)
    try note("and reverses that", credits)
    try note("month 5 of a commitment runs", .commitment)
    try apple.refund(.pastMonth, percentage: 70_000)
    try note("month 2 of it is refunded by 70 %", .pastMonth)
    try note("which leaves month 5 as it was", .commitment)
    try apple.refund(.commitment, percentage: 85_000)
    try note("month 5 is refunded by 85 %", .commitment)
    return table.text(indent: "")
  }

  private func put(_ path: String, _ body: String) throws(CommandFailure) {
    let request = ClientRequest(
      "PUT", path, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    _ = try ServerAddress.send(request, by: try address.connect())
  }

  /// The list is held until a case is in the state asked for.
  private func waitForAnswer() throws(CommandFailure) {
    let answer = try address.get(
      "/v1/refund-requests?state=answered&wait=\(Self.patienceSeconds)")
    guard try AnswerJSON.parse(answer.body)["items"]?.elements?.isEmpty == false else {
      throw CommandFailure("the responder hasn't answered in \(Self.patienceSeconds) s")
    }
  }

  private mutating func note(
    _ what: String, _ purchase: DemoPurchase
  ) throws(CommandFailure) {
    let answer = try AnswerJSON.parse(
      try ShowCommand.consumption(of: purchase.id, address: address))
    table.add([
      what, purchase.id, JSONNode.plain(answer["state"]),
      JSONNode.plain(answer["refundCase"]?["state"]),
      JSONNode.plain(answer["proceeds"]?["kept"]), Self.amounts(answer["realisedLoss"]),
      Self.amounts(answer["leak"]),
      JSONNode.plain(answer["commitment"]?["forecastAtRisk"]?["amount"]), Self.told(answer),
    ])
  }

  private static func amounts(_ node: JSONNode?) -> String {
    let amounts = (node?.elements ?? []).map { JSONNode.plain($0["amount"]) }
    return amounts.isEmpty ? "–" : amounts.joined(separator: " ")
  }

  private static func told(_ answer: JSONNode) -> String {
    guard let refundCase = answer["refundCase"], !refundCase.isNull else { return "–" }
    guard let body = refundCase["response"]?["sent"], !body.isNull else {
      return "nothing: \(JSONNode.plain(answer["gate"]))"
    }
    let share = body["consumptionPercentage"]?.integer.map(ConsumptionText.percent)
    return [JSONNode.plain(body["refundPreference"]), share].compactMap { $0 }
      .joined(separator: ", ")
  }
}
