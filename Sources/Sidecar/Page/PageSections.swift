import Metering

/// The sections of the page.
enum PageSections {
  /// What is at risk, lost and leaking, by environment and currency.
  static func money(_ snapshot: PageSnapshot) -> HTML {
    guard !snapshot.standings.isEmpty else {
      return section("money", "Money at risk", [.element("p", "No purchase is known yet.")])
    }
    let figures: [(name: String, path: KeyPath<PageSnapshot.Standing, Double>)] = [
      ("Requested back: cost", \.requested),
      ("Requested back: proceeds", \.requestedProceeds),
      ("Refundable: cost", \.refundable), ("Refundable: proceeds", \.refundableProceeds),
      ("Realised loss", \.realisedLoss), ("Leak", \.leak),
    ]
    let table = PageTable(
      caption: "Cost and kept proceeds of purchases whose money can go back, and what is lost.",
      columns: [PageTable.Column("Figure")]
        + snapshot.standings.map { .init("\($0.environment) \($0.currency)", isNumber: true) },
      rows: figures.map { figure in
        [.text(figure.name)] + snapshot.standings.map { amount($0[keyPath: figure.path]) }
      })
    return section("money", "Money at risk", [table.html])
  }

  /// Refund cases that can still be answered, the most urgent first.
  static func cases(_ snapshot: PageSnapshot) -> HTML {
    let title = "Open refund requests"
    guard !snapshot.cases.isEmpty else {
      return section("cases", title, [.element("p", "None is open.")])
    }
    var columns: [PageTable.Column] = [
      .init("Time left"), .init("Cost", isNumber: true), .init("Answer or gate"),
      .init("Reason"), .init("Product"), .init("Respond by"), .init("Environment"),
    ]
    if snapshot.showsIdentifiers { columns.append(.init("Transaction")) }
    let table = PageTable(
      caption: "\(snapshot.openCaseCount) open, the most urgent first.", columns: columns,
      rows: snapshot.cases.map { one in
        let seconds = (one.respondBy.microseconds - snapshot.time.microseconds) / 1_000_000
        let left = AmountText.duration(seconds: max(0, seconds))
        let isUrgent = seconds < TopScreen.urgentSeconds
        var cells: [HTML] = [
          .element(
            "span", ["class": isUrgent ? "w bad" : "w"], isUrgent ? "\(left), urgent" : left),
          money(one.cost), .text(one.answer), .text(one.reason), .text(one.product),
          PageText.time(one.respondBy), .text(one.environment),
        ]
        if snapshot.showsIdentifiers { cells.append(.text(one.transaction ?? "–")) }
        return cells
      })
    return section("cases", title, [table.html])
  }

  /// The dearest purchases at risk, with their ids.
  static func purchases(_ snapshot: PageSnapshot) -> HTML {
    let title = "Purchases by cost at risk"
    guard !snapshot.purchases.isEmpty else {
      return section("purchases", title, [.element("p", "None has cost anything.")])
    }
    let table = PageTable(
      caption: "Those that cost most.",
      columns: [
        .init("Transaction"), .init("Customer"), .init("Product"), .init("Environment"),
        .init("Class"), .init("Used", isNumber: true), .init("Cost", isNumber: true),
      ],
      rows: snapshot.purchases.map { one in
        [
          .text(one.transaction), .text(one.customer ?? "–"), .text(one.product),
          .text(one.environment), .text(one.riskClass),
          .text(one.share.map { "\($0 / 1000) %" } ?? "–"), money(one.cost),
        ]
      })
    return section("purchases", title, [table.html])
  }

  /// The dearest products.
  static func products(_ snapshot: PageSnapshot) -> HTML {
    guard !snapshot.products.isEmpty else {
      return section("products", "Top products", [.element("p", "Nothing was sold or used yet.")])
    }
    let table = PageTable(
      caption: "Products by what they have cost until now.",
      columns: [
        .init("Product"), .init("Environment"), .init("Currency"), .init("Cost", isNumber: true),
        .init("Proceeds", isNumber: true), .init("Cost at risk", isNumber: true),
      ],
      rows: snapshot.products.map { one in
        [
          .text(one.product), .text(one.environment), .text(one.currency), amount(one.cost),
          amount(one.proceeds), amount(one.atRisk),
        ]
      })
    return section("products", "Top products", [table.html])
  }

  /// The last days by meter, as bars and as a table.
  static func costs(_ snapshot: PageSnapshot) -> HTML {
    var content: [HTML] = []
    for (id, chart) in snapshot.charts.enumerated() {
      let dates = chart.days.map { String($0.description.prefix(10)) }
      let legend = chart.meters.enumerated().map { number, meter in
        HTML.element(
          "li",
          [
            .element("span", ["class": "key b\(number)", "aria-hidden": "true"], ""),
            .text(meter.name),
          ])
      }
      content += [
        .element("h3", chart.currency), chart.svg(id: id, dates: dates),
        .element("ul", ["class": "legend"], legend), table(of: chart, dates).html,
      ]
    }
    if content.isEmpty { content.append(.element("p", "No cost in the last days.")) }
    if !snapshot.levelCost.isEmpty {
      content.append(
        .element(
          "p",
          [
            .text("Levels, such as storage, aren't among the days; until now they have cost "),
            money(snapshot.levelCost), .text("."),
          ]))
    }
    return section("costs", "Cost by meter, last \(PageText.days) days", content)
  }

  private static func table(of chart: CostChart, _ dates: [String]) -> PageTable {
    PageTable(
      caption: "Cost by day and meter in \(chart.currency), Production and unknown purchases.",
      columns: [PageTable.Column("Day")]
        + chart.meters.map { PageTable.Column($0.name, isNumber: true) }
        + [PageTable.Column("All", isNumber: true)],
      rows: chart.days.indices.map { day in
        [.element("time", ["datetime": dates[day]], dates[day])]
          + chart.meters.map { amount($0.amounts[day]) }
          + [amount(chart.total(day: day))]
      })
  }

  /// What tells whether all is well.
  static func health(_ snapshot: PageSnapshot) -> HTML {
    let table = PageTable(
      caption: "The sidecar itself.",
      columns: [.init("What"), .init("Figure"), .init("State")],
      rows: snapshot.health.lines.map { line in
        [
          .text(line.name), .text(line.figure),
          .element(
            "span", ["class": line.isWell ? "good" : "bad"], line.isWell ? "good" : "look at it"),
        ]
      })
    return section("health", "Health", [table.html])
  }

  private static func section(_ id: String, _ title: String, _ content: [HTML]) -> HTML {
    .element(
      "section", ["aria-labelledby": id], [.element("h2", ["id": id], title)] + content)
  }

  /// A rounded amount that carries the exact one.
  private static func amount(_ value: Double) -> HTML {
    .element("data", ["value": MetricNumber.shortest(value)], AmountText.rounded(value))
  }

  private static func amount(_ value: Fraction) -> HTML {
    .element("data", ["value": value.decimal], AmountText.rounded(value))
  }

  private static func money(_ amounts: [Money]) -> HTML {
    guard let first = amounts.first else { return .text("–") }
    let rest = amounts.dropFirst().flatMap { [HTML.text(" + "), one($0)] }
    return .element("span", [one(first)] + rest)
  }

  private static func one(_ money: Money) -> HTML {
    .element(
      "span", ["class": "w"], [amount(money.amount), .text(" \(money.currency.string)")])
  }
}
