/// A table that never is wider than its place: columns come by importance, and the last ones go
/// when there is no room for them.
struct FittedTable {
  /// A column's title and whether its cells stand on the right.
  struct Column {
    var title: String
    var isRight = false

    init(_ title: String, isRight: Bool = false) {
      self.title = title
      self.isRight = isRight
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with as many cells as there are columns; cells are cleaned.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count)
    rows.append(cells.map(PlainText.clean))
  }

  /// The header and the rows, each at most so many columns wide. The first column is cut when not
  /// even that one fits.
  func lines(width: Int) -> [String] {
    let all = [columns.map(\.title)] + rows
    var widths = columns.indices.map { column in
      all.map { PlainText.width($0[column]) }.max() ?? 0
    }
    while widths.count > 1, widths.reduce(0, +) + 2 * (widths.count - 1) > width {
      widths.removeLast()
    }
    return all.map { row in
      var line = ""
      for (column, columnWidth) in widths.enumerated() {
        let cell = row[column]
        let padding = String(repeating: " ", count: columnWidth - PlainText.width(cell))
        if column > 0 { line += "  " }
        line += columns[column].isRight ? padding + cell : cell + padding
      }
      while line.last == " " { line.removeLast() }
      return PlainText.cut(line, to: width)
    }
  }
}
