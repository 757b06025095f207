import Metering

/// Rows of one statement, to be compared with another ledger's.
final class Rows {
  struct Row {
    /// Columns as bytes with their kind; the first `unique` name the row.
    var values: [Value]
    var unique: Int

    var key: ArraySlice<Value> { values[..<unique] }

    /// For people: its first column that is text, else its number.
    var name: String {
      key.map { value in
        switch value {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .bytes(let bytes): bytes.string
        }
      }.joined(separator: " ")
    }

    /// SQLite's order.
    func precedes(_ other: Row) -> Bool {
      for (mine, theirs) in zip(key, other.key) where mine != theirs {
        return mine.precedes(theirs)
      }
      return false
    }
  }

  enum Value: Equatable {
    case null
    case integer(Int64)
    case bytes(ByteString)

    func precedes(_ other: Value) -> Bool {
      switch (self, other) {
      case (.integer(let left), .integer(let right)): left < right
      case (.bytes(let left), .bytes(let right)): left < right
      case (.null, _): other != .null
      case (.integer, .bytes): true
      default: false
      }
    }
  }

  private let statement: Statement
  private let unique: Int

  init(_ connection: Connection, _ sql: String, unique: Int) throws {
    statement = try connection.prepare(sql)
    self.unique = unique
  }

  /// The next row; nil at the end.
  func next() throws -> Row? {
    guard try statement.step() else { return nil }
    return Row(values: (0..<statement.columns).map { statement.value($0) }, unique: unique)
  }
}

/// The newest record of each key in the runs of a ledger, in order.
struct NewestKeys {
  private var cursors: [KeyCursor]

  init(_ connection: Connection, _ runs: [Run]) throws {
    cursors = try runs.sorted { $0.lastSequence > $1.lastSequence }
      .map { try KeyCursor(blocks: RunBlocks(connection, $0)) }
  }

  mutating func next() throws -> KeyEntry? {
    var best: KeyEntry?
    for cursor in cursors {
      guard let entry = cursor.current else { continue }
      guard let least = best else {
        best = entry
        continue
      }
      if entry.precedes(least) { best = entry }
    }
    guard let best else { return nil }
    for number in cursors.indices where cursors[number].current?.key == best.key {
      try cursors[number].advance()
    }
    return best
  }

  static func isSame(_ left: KeyEntry?, _ right: KeyEntry?) -> Bool {
    left?.fingerprint == right?.fingerprint && left?.location == right?.location
      && left?.isVoided == right?.isVoided && left?.isVoid == right?.isVoid
  }
}
