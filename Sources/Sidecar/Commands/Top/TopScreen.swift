import Metering

/// Draws a snapshot as lines of text. Pure: the same snapshot, width and colours give the same
/// lines.
struct TopScreen {
  /// How much the terminal shows.
  struct Size: Equatable {
    var columns: Int
    /// nil: as many as there are.
    var rows: Int?
  }

  /// Escape sequences of a terminal.
  private enum Style: String {
    case title = "\u{1B}[1m"
    case urgent = "\u{1B}[31;1m"
    case soon = "\u{1B}[33m"
    case plain = ""

    static let end = "\u{1B}[0m"
  }

  private struct Line {
    var text: String
    var style = Style.plain
  }

  /// A case with less time left than this is urgent, seconds: what the alert counts as late.
  static let urgentSeconds: Int64 = 7_200
  /// One with less than this is soon.
  static let soonSeconds: Int64 = 4 * 3_600

  private let size: Size
  private let hasColours: Bool

  init(size: Size, hasColours: Bool) {
    self.size = size
    self.hasColours = hasColours
  }

  /// The lines, none wider than the terminal and not more than it has. `rate` is events a second;
  /// nil when it isn't known. `trouble` stands at the top.
  func lines(_ snapshot: TopSnapshot?, rate: Double? = nil, trouble: String? = nil) -> [String] {
    var lines: [Line] = []
    if let trouble { lines.append(Line(text: PlainText.clean(trouble), style: .urgent)) }
    if let snapshot { lines += body(snapshot, rate) }
    if let rows = size.rows, lines.count > rows {
      lines = Array(lines.prefix(max(rows - 1, 0))) + [Line(text: "…")]
    }
    return lines.map { line in
      let text = PlainText.cut(line.text, to: size.columns)
      return hasColours && line.style != .plain && !text.isEmpty
        ? line.style.rawValue + text + Style.end : text
    }
  }

  private func body(_ snapshot: TopSnapshot, _ rate: Double?) -> [Line] {
    var head = "outlay \(snapshot.time.description.prefix(19))Z"
    head += "  \(AmountText.grouped(String(Int64(snapshot.acceptedEvents)))) events"
    if let rate { head += ", \(AmountText.grouped(String(Int64(rate.rounded())))) a second" }
    var lines = [Line(text: head, style: .title)]
    if !snapshot.isReady {
      lines.append(Line(text: "the store takes no writes", style: .urgent))
    }
    lines += money(snapshot.standings)
    lines += cases(snapshot)
    lines += purchases(snapshot.purchases)
    return lines
  }

  private func section(_ title: String, _ table: FittedTable) -> [Line] {
    var lines = [Line(text: ""), Line(text: title, style: .title)]
    lines += table.lines(width: size.columns).map { Line(text: $0) }
    return lines
  }

  private func money(_ standings: [TopSnapshot.Standing]) -> [Line] {
    guard !standings.isEmpty else { return [] }
    var table = FittedTable([
      .init("currency"), .init("requested", isRight: true), .init("refundable", isRight: true),
      .init("realised loss", isRight: true), .init("leak", isRight: true), .init("environment"),
    ])
    for one in standings {
      table.add([
        one.currency, AmountText.rounded(one.requested), AmountText.rounded(one.refundable),
        AmountText.rounded(one.realisedLoss), AmountText.rounded(one.leak), one.environment,
      ])
    }
    return section("cost at risk", table)
  }

  private func cases(_ snapshot: TopSnapshot) -> [Line] {
    guard !snapshot.cases.isEmpty else {
      return [Line(text: ""), Line(text: "no open refund requests", style: .title)]
    }
    var table = FittedTable([
      .init("left"), .init("cost", isRight: true), .init("answer"), .init("reason"),
      .init("transaction"), .init("product"), .init("environment"),
    ])
    for one in snapshot.cases {
      table.add([
        AmountText.duration(seconds: one.secondsLeft), one.cost, one.answer, one.reason,
        one.transaction, one.product, one.environment,
      ])
    }
    let all = max(Int64(snapshot.openCases), Int64(snapshot.cases.count))
    var lines = section("open refund requests (\(all))", table)
    for (index, one) in snapshot.cases.enumerated() {
      let style: Style =
        one.secondsLeft < Self.urgentSeconds
        ? .urgent : one.secondsLeft < Self.soonSeconds ? .soon : .plain
      lines[lines.count - snapshot.cases.count + index].style = style
    }
    return lines
  }

  private func purchases(_ purchases: [TopSnapshot.RiskyPurchase]) -> [Line] {
    guard !purchases.isEmpty else {
      return [Line(text: ""), Line(text: "no purchase at risk has cost anything", style: .title)]
    }
    var table = FittedTable([
      .init("cost", isRight: true), .init("proceeds", isRight: true), .init("class"),
      .init("used", isRight: true), .init("transaction"), .init("product"), .init("state"),
      .init("customer"), .init("environment"),
    ])
    for one in purchases {
      table.add([
        one.cost, one.proceeds, one.riskClass, one.share, one.transaction, one.product, one.state,
        one.customer, one.environment,
      ])
    }
    return section("purchases by cost at risk", table)
  }
}
