import Metering
import Wire

/// Query parameters: unknown, repeated and malformed ones are refused, since a misspelt filter
/// would answer a question that nobody asked.
extension Router {
  static func onlyParameters(
    _ names: Set<String>, of request: HTTPRequest
  ) throws(Problem) {
    var seen: Set<String> = []
    for (name, _) in request.query {
      guard names.contains(name) else {
        throw Problem(
          status: 400, code: "unknown_parameter",
          detail: "The parameter \"\(name)\" means nothing here.")
      }
      guard seen.insert(name).inserted else { throw .parameter(name, "given more than once.") }
    }
  }

  static func parameter(_ name: String, of request: HTTPRequest) -> ByteString? {
    request.query.first { $0.name == name }.map { ByteString($0.value) }
  }

  /// The most items that a page may have.
  static func limit(of request: HTTPRequest) throws(Problem) -> Int {
    guard let text = parameter("limit", of: request) else { return RouteLimits.pageItems }
    guard let limit = Int(text.string), 1...RouteLimits.pageItemsMax ~= limit else {
      throw .parameter("limit", "1 to \(RouteLimits.pageItemsMax).")
    }
    return limit
  }

  func page(_ request: HTTPRequest) throws(Problem) -> TransactionsQuestion {
    try Self.onlyParameters(["state", "customer", "limit", "cursor"], of: request)
    var question = TransactionsQuestion()
    if let text = Self.parameter("state", of: request) {
      guard let state = PurchaseState(name: text) else {
        let names = PurchaseState.allCases.map(\.name).joined(separator: ", ")
        throw .parameter("state", "one of \(names).")
      }
      question.state = state
    }
    if let text = Self.parameter("customer", of: request) {
      question.customer = try Self.id(text.bytes).customerKey
    }
    question.limit = try Self.limit(of: request)
    if let text = Self.parameter("cursor", of: request) {
      guard let id = PageCursor.decode(text) else {
        throw .parameter("cursor", "the \"next\" of the page before.")
      }
      question.after = id
    }
    return question
  }

  func atRisk(_ request: HTTPRequest) throws(Problem) -> AtRiskQuestion {
    try Self.onlyParameters(["limit", "cursor"], of: request)
    var question = AtRiskQuestion(limit: try Self.limit(of: request))
    if let text = Self.parameter("cursor", of: request) {
      guard let place = PageCursor.riskPlace(text) else {
        throw .parameter("cursor", "the \"next\" of the page before.")
      }
      question.place = place
    }
    return question
  }

  func costs(_ request: HTTPRequest) throws(Problem) -> CostsQuestion {
    try Self.onlyParameters(["from", "to", "window", "groupBy", "environment"], of: request)
    var question = CostsQuestion(
      from: try Self.bound("from", of: request), to: try Self.bound("to", of: request))
    if let text = Self.parameter("window", of: request) {
      guard let window = CostsQuestion.Window(rawValue: text.string) else {
        throw .parameter("window", "day or month.")
      }
      question.window = window
    }
    if let text = Self.parameter("groupBy", of: request) {
      question.groupBy = try Self.dimensions(text)
    }
    if let text = Self.parameter("environment", of: request) {
      let known: Set<ByteString> = ["Production", "Sandbox", "unknown"]
      let names = text.string.split(separator: ",", omittingEmptySubsequences: false)
        .map { ByteString(String($0)) }
      guard known.isSuperset(of: names) else {
        throw .parameter("environment", "Production, Sandbox or unknown, separated by commas.")
      }
      question.environments = Set(names)
    }
    question.format =
      AcceptHeader(request.headers("Accept")).prefers("text/csv", to: "application/json")
      ? .csv : .json
    return question
  }

  private static func dimensions(
    _ text: ByteString
  ) throws(Problem) -> [CostsQuestion.Dimension] {
    if text.isEmpty { return [] }
    let names = text.string.split(separator: ",", omittingEmptySubsequences: false)
    let dimensions = names.compactMap { CostsQuestion.Dimension(rawValue: String($0)) }
    guard dimensions.count == names.count, Set(dimensions).count == names.count else {
      throw .parameter("groupBy", "meter and product, each at most once, separated by commas.")
    }
    return dimensions
  }

  private static func bound(
    _ name: String, of request: HTTPRequest
  ) throws(Problem) -> CostsQuestion.Bound {
    guard let text = parameter(name, of: request), !text.isEmpty else {
      throw Problem(
        status: 400, code: "missing_parameter", detail: "\(name): a date or an instant is needed.")
    }
    if let date = date(text) { return date }
    // A plus sign that wasn't escaped arrives as the space that forms make of it.
    let restored = ByteString(text.bytes.map { $0 == 0x20 ? 0x2B : $0 })
    guard let instant = Instant(rfc3339: restored) else {
      throw .parameter(name, "a date (2026-11-30) or an RFC 3339 instant with its offset.")
    }
    return .instant(instant)
  }

  /// A date that exists, `2026-11-30`.
  private static func date(_ text: ByteString) -> CostsQuestion.Bound? {
    guard text.count == 10,
      Instant(rfc3339: ByteString(text.bytes + Array("T00:00:00Z".utf8))) != nil,
      let year = Int(text.string.prefix(4)), let month = Int(text.string.dropFirst(5).prefix(2)),
      let day = Int(text.string.suffix(2))
    else { return nil }
    return .date(year: year, month: month, day: day)
  }
}
