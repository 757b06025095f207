/// The folder that a copy grows in, and the name that it gets at the end.
struct BackupFolder {
  /// Where the copy grows.
  let path: String
  private let target: String

  /// Makes the folder, for the owner only.
  init(_ target: String) throws {
    self.target = target
    path = target + Backup.unfinished
    guard try System.makeNewDirectory(path) else { throw BackupFault.unfinished(path) }
  }

  /// Makes way for the copy. Early, since what can't be removed can't be replaced at the end
  /// either: a folder that another disk is mounted on, or the one worked in.
  func removeEmptyTarget() throws {
    guard try System.removeEmptyDirectory(target) else { throw BackupFault.occupied(target) }
  }

  /// Gives the copy its name, durably.
  func publish() throws {
    try System.syncDirectory(path + "/" + SegmentFiles.directory, name: path)
    try System.syncDirectory(path, name: path)
    try System.rename(path, to: target, name: target)
    try System.syncDirectory(parent, name: parent)
  }

  private var parent: String {
    guard let slash = target.lastIndex(of: "/") else { return "." }
    return slash == target.startIndex ? "/" : String(target[..<slash])
  }

  /// Removes the copy, as far as that can be done: whoever calls this has a fault to tell already.
  func remove() {
    for folder in [path + "/" + SegmentFiles.directory, path] {
      for name in (try? System.list(folder, name: folder)) ?? [] {
        try? System.remove(folder + "/" + name, name: name)
      }
      _ = try? System.removeEmptyDirectory(folder)
    }
  }
}
