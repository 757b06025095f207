/// Something that changed and whose figures have to be made anew.
package struct Change: Hashable, Sendable {
  /// What changed, or what is to be made anew; the numbers are stored.
  package enum Kind: UInt8, Sendable {
    /// What was booked to a purchase, or the purchase's figures.
    case purchase = 0
    /// The figures of a chain's levels.
    case chainLevels = 1
    /// The figures of a customer's levels.
    case customerLevels = 2
    /// What is known of a transaction.
    case record = 3
    /// The customer that a chain is linked to.
    case link = 4
    /// What a customer said of sharing.
    case consent = 5
    /// Points of a level, by the id that they stand under.
    case level = 6
    /// Whose purchases share a customer's levels.
    case customer = 7
  }

  package var kind: Kind
  /// A transaction's id, a chain's, or a customer's key.
  package var id: ByteString

  /// A change of something with this id.
  package init(_ kind: Kind, _ id: ByteString) {
    self.kind = kind
    self.id = id
  }
}

/// How far a table's changes were looked at.
package struct ChangeCursor: Sendable {
  fileprivate var trail = 0
  fileprivate var points = 0
  fileprivate var notes = 0

  /// The table's beginning.
  package init() {}
}

extension Memtable {
  /// Hands what was changed since a cursor to `use`, some of it twice, looking at `limit` entries
  /// of each kind at most; false when there are more.
  package func changes(
    since cursor: inout ChangeCursor, limit: Int = .max, _ use: (Change) -> Void
  ) -> Bool {
    let start = cursor
    cursor.trail += min(trail.count - start.trail, limit)
    cursor.points += min(points.count - start.points, limit)
    cursor.notes += min(notes.count - start.notes, limit)
    if cursor.trail - start.trail > subjects.count {
      // Few subjects were changed again and again.
      for subject in subjects.indices { use(Change(.purchase, id(of: subject))) }
    } else {
      var last: Int32 = -1
      for entry in trail[start.trail..<cursor.trail] where entry.subject != last {
        last = entry.subject
        use(Change(.purchase, id(of: Int(last))))
      }
    }
    for entry in points[start.points..<cursor.points] {
      use(Change(.level, id(of: Int(entry.subject))))
    }
    for note in notes[start.notes..<cursor.notes] { use(note) }
    return changes(since: cursor) == 0
  }

  /// How many changes there are since a cursor.
  package func changes(since cursor: ChangeCursor) -> Int {
    trail.count - cursor.trail + points.count - cursor.points + notes.count - cursor.notes
  }

  /// The cursor behind all changes so far.
  package var changeCursor: ChangeCursor {
    var cursor = ChangeCursor()
    (cursor.trail, cursor.points, cursor.notes) = (trail.count, points.count, notes.count)
    return cursor
  }
}
