import Metering

/// Renders a snapshot as one HTML page that needs nothing else: no script, no further request.
enum PageText {
  /// Days whose cost is shown, today included.
  static let days = 14

  /// The page.
  static func render(_ snapshot: PageSnapshot) -> String {
    let head: [HTML] = [
      .own("<meta charset=\"utf-8\">"),
      .own("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"),
      .own("<meta name=\"color-scheme\" content=\"light dark\">"),
      // An icon of nothing, else browsers would ask for one.
      .own("<link rel=\"icon\" href=\"data:,\">"),
      .element("title", "Outlay"),
      .element("style", [.own(PageStyle.sheet)]),
    ]
    let body: [HTML] = [header(snapshot), main(snapshot), footer(snapshot)]
    let page = HTML.element(
      "html", ["lang": "en"], [.element("head", head), .element("body", body)])
    return "<!DOCTYPE html>\n" + page.markup + "\n"
  }

  private static func header(_ snapshot: PageSnapshot) -> HTML {
    let troubles = snapshot.health.lines.filter { !$0.isWell }.count
    let summary =
      troubles == 0
      ? "All is well." : "\(troubles) \(troubles == 1 ? "thing needs" : "things need") a look."
    return .element(
      "header",
      [
        .element("h1", "Outlay"),
        .element(
          "p",
          [
            .text("As of "), time(snapshot.time),
            .text(", purchases as last rolled up. \(summary) "),
            .own("<a href=\"/\">Load it again</a>"),
          ]),
      ])
  }

  private static func main(_ snapshot: PageSnapshot) -> HTML {
    var sections = [PageSections.money(snapshot), PageSections.cases(snapshot)]
    if snapshot.showsIdentifiers { sections.append(PageSections.purchases(snapshot)) }
    sections += [
      PageSections.products(snapshot), PageSections.costs(snapshot), PageSections.health(snapshot),
    ]
    return .element("main", sections)
  }

  private static func footer(_ snapshot: PageSnapshot) -> HTML {
    .element(
      "footer",
      [
        .element(
          "p",
          [
            .text("Outlay \(snapshot.health.version). Amounts are rounded to a hundredth. "),
            .own("<a href=\"/metrics\">All metrics</a>"),
          ])
      ])
  }

  /// An instant to the second, in UTC.
  static func time(_ instant: Instant) -> HTML {
    let text = instant.description
    return .element(
      "time", ["datetime": text], text.prefix(19).replacing("T", with: " ") + " UTC")
  }
}
