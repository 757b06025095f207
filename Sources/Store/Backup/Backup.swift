/// A copy of a store, whole and durable.
package struct Backup: Equatable, Sendable {
  /// Last journal entry that it has.
  package internal(set) var sequence: UInt64 = 0
  /// Journal segments in it.
  package internal(set) var segments = 0
  /// Bytes of its files.
  package internal(set) var bytes = 0

  /// What a backup is at.
  package enum Stage: Sendable {
    case copying
    /// Reading the copy's journal, each frame by its sums.
    case checking
  }

  /// Copies the store in `directory` to the folder `target`, which must not be there or be empty,
  /// also beside the process that serves it, which waits for nothing. The copy has every entry that
  /// was durable when this began.
  ///
  /// It grows beside the target, in a folder of the same name with ``unfinished`` behind it, which
  /// gets its name when all is on disk and is removed when this throws. `progress` gets shares of 1
  /// and may throw to stop. `onto` makes the disk that is written to.
  ///
  /// Throws a ``BackupFault`` when the target won't do, and a ``StoreFault`` or ``LedgerError``
  /// where the store can't be read, the copy not be written, or isn't what it should be.
  package static func run(
    directory: String, disk: any Disk, target: String,
    progress: (Stage, Double) throws -> Void = { _, _ in },
    onto: (String) -> any Disk = { LinuxDisk(root: $0) }
  ) throws -> Backup {
    // Before anything is made: without a ledger there is no store.
    let view = try LedgerView(path: directory + "/ledger.db")
    let folder = try BackupFolder(target)
    do {
      var copy = StoreCopy(
        view: view, source: disk, copy: onto(folder.path), folder: folder.path)
      let expected = try copy.checkRoom()
      try folder.removeEmptyTarget()
      try copy.run { try progress(.copying, min(1, Double($0) / Double(max(1, expected)))) }
      let backup = try copy.check { try progress(.checking, $0) }
      try folder.publish()
      return backup
    } catch {
      folder.remove()
      throw error
    }
  }

  /// What stands behind the target's name until all is there.
  package static let unfinished = ".unfinished"
}

/// Why a backup isn't begun.
package enum BackupFault: Error, Equatable, CustomStringConvertible {
  /// There is something where the copy should go.
  case occupied(String)
  /// Another backup works there, or was killed there.
  case unfinished(String)
  /// Bytes that the copy would take and leave free, and that there are.
  case noRoom(needed: UInt64, free: UInt64)

  package var description: String {
    switch self {
    case .occupied(let path): "\(path) exists and isn't an empty folder"
    case .unfinished(let path):
      "\(path) exists: another backup writes it, or was killed; then remove it"
    case .noRoom(let needed, let free):
      "the copy needs \(Self.megabytes(needed)) of free space, and there are "
        + Self.megabytes(free)
    }
  }

  private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000) MB" }
}
