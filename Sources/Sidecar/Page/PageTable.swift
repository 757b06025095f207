/// A table that scrolls by itself where it is wider than its place.
struct PageTable {
  struct Column {
    var title: String
    var isNumber = false

    init(_ title: String, isNumber: Bool = false) {
      self.title = title
      self.isNumber = isNumber
    }
  }

  var caption: String
  var columns: [Column]
  /// Of each row, as many cells as there are columns; the first one names the row.
  var rows: [[HTML]]

  var html: HTML {
    let titles = columns.map { column in
      HTML.element("th", ["scope": "col", "class": Self.mark(column)], column.title)
    }
    let lines = rows.map { cells in
      HTML.element(
        "tr",
        zip(columns, cells).enumerated().map { index, pair in
          let (column, cell) = pair
          return index == 0
            ? .element("th", ["scope": "row"], [cell])
            : .element("td", ["class": Self.mark(column)], [cell])
        })
    }
    // Whoever has only a keyboard scrolls what has the focus.
    return .element(
      "div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"],
      [
        .element(
          "table",
          [
            .element("caption", caption), .element("thead", [.element("tr", titles)]),
            .element("tbody", lines),
          ])
      ])
  }

  private static func mark(_ column: Column) -> String? { column.isNumber ? "n" : nil }
}
