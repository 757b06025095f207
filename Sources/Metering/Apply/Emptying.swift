/// Collections that are filled for one commit and emptied for the next: what has grown for a large
/// one is given back, so that later ones don't carry it.

extension Dictionary {
  /// Removes everything, and keeps memory for as much as is usual.
  mutating func empty() {
    if capacity > 0 { removeAll(keepingCapacity: capacity <= Limits.keptElements) }
  }
}

extension Set {
  /// Removes everything, and keeps memory for as much as is usual.
  mutating func empty() {
    if capacity > 0 { removeAll(keepingCapacity: capacity <= Limits.keptElements) }
  }
}

extension Array {
  /// Removes everything, and keeps memory for as much as is usual.
  mutating func empty() {
    if capacity > 0 { removeAll(keepingCapacity: capacity <= Limits.keptElements) }
  }
}

extension Limits {
  /// Elements that a collection keeps room for between commits: emptying them takes no time.
  static let keptElements = 1_024
}
