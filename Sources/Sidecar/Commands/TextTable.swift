/// Columns of text, each as wide as its widest cell.
struct TextTable {
  private var rows: [[String]] = []
  private let rightAligned: Set<Int>

  init(_ header: [String], rightAligned: Set<Int> = []) {
    self.rightAligned = rightAligned
    rows = [header]
  }

  var isEmpty: Bool { rows.count == 1 }

  /// Adds a row; a control character in a cell becomes an escape.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { PlainText.escaped($0) })
  }

  /// The lines, each after an indentation and with a newline.
  func text(indent: String = "") -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    var text = ""
    for row in rows {
      var line = indent
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += column == 0 ? "" : "  "
        line += rightAligned.contains(column) ? padding + cell : cell + padding
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
