import Metering

// What is spread over the tables' append-only lists: how long they are belongs to the boundary, and
// they are gone through in pieces, so that nobody waits for a long one.
extension Layers {
  /// Points of an id in the tables, in order.
  func freshPoints(of hash: Hash128) -> [(series: Series, point: PointEntry)] {
    let counts = looks.look(.points(hash)) { tables in
      tables.map { $0.subject(hash: hash) < 0 ? 0 : $0.points.count }
    }
    var found: [(series: Series, point: PointEntry)] = []
    forEachPiece(counts) { table, piece in
      let subject = table.subject(hash: hash)
      for point in table.points[piece] where Int(point.subject) == subject {
        found.append((table.series[Int(point.series)], point))
      }
    }
    return found
  }

  /// Ids that have points in the tables.
  func freshLevelSubjects() -> Set<ByteString> {
    var found: Set<ByteString> = []
    forEachPiece(looks.look(.levelSubjects) { $0.map(\.points.count) }) { table, piece in
      for subject in Set(table.points[piece].map(\.subject)) {
        found.insert(table.id(of: Int(subject)))
      }
    }
    return found
  }

  /// Ids behind a cursor of transactions that the tables know something of.
  func freshRecordIds(after cursor: ByteString) -> Set<ByteString> {
    var found: Set<ByteString> = []
    forEachPiece(looks.look(.names) { $0.map(\.notes.count) }) { table, piece in
      for note in table.notes[piece] where note.kind == .record && note.id > cursor {
        found.insert(note.id)
      }
    }
    return found
  }

  /// Locations of a purchase's facts in the tables, in order of commit.
  func freshTrail(of hash: Hash128) -> [Location] {
    let ends = looks.look(.trail(hash)) { tables in
      tables.map { table in
        let subject = table.subject(hash: hash)
        return subject < 0 ? -1 : table.subjects[subject].lastTrail
      }
    }
    var locations: [Location] = []
    for (number, end) in ends.enumerated() {
      var backwards: [Location] = []
      var place = end
      while place >= 0 {
        place = looks.lookBack { tables in
          tables[number].trail(from: place, most: StoreLimits.pieceEntries) {
            backwards.append(Location(raw: $0))
          }
        }
      }
      locations += backwards.reversed()
    }
    return locations
  }

  /// Goes through the beginnings of the tables' lists, of `counts` entries.
  private func forEachPiece(_ counts: [Int], _ body: (Memtable, Range<Int>) -> Void) {
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
