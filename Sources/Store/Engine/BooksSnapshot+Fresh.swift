import Metering

// What is spread over the tables' append-only lists: how long they are belongs to the boundary, and
// they are gone through in pieces, so that nobody waits for a long one.
extension BooksSnapshot {

  /// Goes through the beginnings of the tables' lists, of `counts` entries.
  func forEachPiece(_ counts: [Int], _ body: (Memtable, Range<Int>) -> Void) {
    for (number, count) in counts.enumerated() {
      var start = 0
      while start < count {
        let piece = start..<min(count, start + StoreLimits.pieceEntries)
        looks.lookBack { body($0[number], piece) }
        start = piece.upperBound
      }
    }
  }
}

extension StoreLimits {
  /// Entries of a table's list that a question goes through while it keeps the writer waiting: some
  /// ten microseconds.
  static let pieceEntries = 1_024
}
