/// Who may read a store: customers' ids and what they use are in it.
package enum StorePrivacy {
  /// Takes the store in a directory, with all of its files, from everybody but its owner. Returns
  /// the paths that others could use before. Throws ``StoreFault/foreign(_:)`` for one that this
  /// process may not change.
  package static func restore(in root: String) throws -> [String] {
    var mended: [String] = []
    for path in paths(in: root) {
      // The root may be a link to where the store lies; a link inside isn't the store's.
      guard let identity = System.identity(path, follow: path == root),
        identity.isDirectory || identity.isFile, identity.isOpenToOthers
      else { continue }
      guard System.closeToOthers(path, identity) else {
        throw StoreFault.foreign(
          "\(path): others than its owner may use it, and this user can't change that; "
            + "chmod go= it")
      }
      mended.append(path)
    }
    return mended
  }

  private static func paths(in root: String) -> [String] {
    let journal = root + "/" + SegmentFiles.directory
    let segments = (try? System.list(journal, name: SegmentFiles.directory)) ?? []
    // The ledger's, with what stands beside it and what was set aside.
    let files = ((try? System.list(root, name: "")) ?? []).filter {
      $0 == "lock" || $0.hasPrefix(LedgerFile.name)
    }
    return [root] + files.map { root + "/" + $0 } + [journal] + segments.map { journal + "/" + $0 }
  }
}
