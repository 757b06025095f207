import Metering

/// What days have cost by meter, in one currency: a table, and the bars that show it.
struct CostChart: Equatable, Sendable {
  var currency: String
  /// Starts of the days, ascending.
  var days: [Instant]
  /// The dearest first; beyond ``colours`` they are one.
  var meters: [Meter]

  /// One meter's amounts, a day each.
  struct Meter: Equatable, Sendable {
    var name: String
    var amounts: [Fraction]

    var total: Fraction { amounts.reduce(.zero, +) }
  }

  /// Meters that are told apart.
  static let colours = 8

  /// One chart for each currency, of rows by day and meter.
  static func charts(of rows: [CostRow]) -> [CostChart] {
    let days = Set(rows.map(\.start)).sorted()
    let index = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($0.element, $0.offset) })
    var amounts: [ByteString: [ByteString: [Fraction]]] = [:]
    for row in rows {
      guard let currency = row.currency, let amount = row.amount, let day = index[row.start] else {
        continue
      }
      let none = [Fraction](repeating: .zero, count: days.count)
      let meter = row.meter ?? ""
      let known = amounts[currency]?[meter]?[day] ?? .zero
      amounts[currency, default: [:]][meter, default: none][day] = known + amount
    }
    return amounts.sorted { $0.key < $1.key }.map { currency, meters in
      CostChart(
        currency: currency.string, days: days,
        meters: joined(meters.map { Meter(name: $0.key.string, amounts: $0.value) }))
    }
  }

  private static func joined(_ meters: [Meter]) -> [Meter] {
    let sorted = meters.sorted {
      let (left, right) = ($0.total.nearestDouble, $1.total.nearestDouble)
      return left != right ? left > right : $0.name < $1.name
    }
    guard sorted.count > colours else { return sorted }
    var rest = Meter(name: "all others", amounts: sorted[colours - 1].amounts)
    for meter in sorted[colours...] {
      rest.amounts = zip(rest.amounts, meter.amounts).map { $0 + $1 }
    }
    return sorted.prefix(colours - 1) + [rest]
  }

  /// The sum of a day.
  func total(day: Int) -> Fraction { meters.reduce(.zero) { $0 + $1.amounts[day] } }
}

extension CostChart {
  private static let width = 360.0
  private static let height = 180.0
  private static let left = 4.0
  private static let top = 20.0
  private static let bottom = 24.0

  /// The bars as SVG, with a title and a description for those who don't see it. `id` tells it from
  /// others of the page.
  func svg(id: Int, dates: [String]) -> HTML {
    let totals = days.indices.map { total(day: $0).nearestDouble }
    let highest = totals.max() ?? 0
    var parts = [
      HTML.element("title", ["id": "chart\(id)"], "Cost by day and meter, \(currency)"),
      HTML.element(
        "desc", ["id": "about\(id)"], Self.description(totals, dates, currency)),
    ]
    parts += bars(highest: highest)
    let baseline = Self.height - Self.bottom
    parts.append(
      .empty(
        "line",
        [
          "class": "axis", "x1": "0", "x2": Self.number(Self.width),
          "y1": Self.number(baseline), "y2": Self.number(baseline),
        ]))
    parts.append(
      .element(
        "text", ["x": Self.number(Self.left), "y": "13"],
        "highest day \(AmountText.rounded(highest)) \(currency)"))
    for (index, anchor) in [(0, "start"), (days.count - 1, "end")] where index >= 0 {
      parts.append(
        .element(
          "text",
          [
            "x": Self.number(index == 0 ? Self.left : Self.width - Self.left),
            "y": Self.number(Self.height - 7), "text-anchor": anchor,
          ], dates[index]))
      if days.count == 1 { break }
    }
    return .element(
      "svg",
      [
        "viewBox": "0 0 \(Self.number(Self.width)) \(Self.number(Self.height))",
        "role": "img", "aria-labelledby": "chart\(id)", "aria-describedby": "about\(id)",
      ], parts)
  }

  private static func description(
    _ totals: [Double], _ dates: [String], _ currency: String
  ) -> String {
    guard let first = dates.first, let last = dates.last else { return "No cost." }
    let sum = totals.reduce(0, +)
    return "Stacked bars from \(first) to \(last), in all \(AmountText.rounded(sum)) \(currency). "
      + "The table below holds every figure."
  }

  private func bars(highest: Double) -> [HTML] {
    guard highest > 0 else { return [] }
    let step = (Self.width - 2 * Self.left) / Double(days.count)
    let room = Self.height - Self.top - Self.bottom
    var bars: [HTML] = []
    for day in days.indices {
      var base = Self.height - Self.bottom
      for (number, meter) in meters.enumerated() {
        let height = max(0, meter.amounts[day].nearestDouble) / highest * room
        guard height > 0 else { continue }
        base -= height
        bars.append(
          .empty(
            "rect",
            [
              "class": "m\(number)", "x": Self.number(Self.left + Double(day) * step),
              "y": Self.number(base), "width": Self.number(step * 0.8),
              "height": Self.number(height),
            ]))
      }
    }
    return bars
  }

  /// A coordinate to a hundredth.
  private static func number(_ value: Double) -> String {
    MetricNumber.shortest((value * 100).rounded() / 100)
  }
}
