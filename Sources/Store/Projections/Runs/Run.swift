import Metering

/// What a run holds. Numbers are on disk: never reuse one.
package enum RunKind: Int64, Sendable {
  /// Keys of accepted events, for duplicates and voids.
  case keys = 0
  /// Sums and trails of purchases.
  case usage = 1
}

/// A sorted, immutable set of records in the ledger's blocks, in order of a 128-bit hash.
///
/// A block's row id is the run's id above the leading 32 bits of its first record's hash. Records
/// that share these bits share a block, so the block of a hash is the last one at or before it.
package struct Run: Sendable {
  package var id: Int64
  package var kind: RunKind
  /// How many merges it has been through.
  package var level: Int64
  /// Records in it: keys, or purchases.
  package var count: Int64
  /// The journal's sequence numbers that it covers.
  package var firstSequence: UInt64
  package var lastSequence: UInt64
  /// The least and the greatest location that it names, raw.
  package var locations: ClosedRange<UInt64>
  /// Tells most keys that aren't there; nil for usage, where nearly every purchase that is asked
  /// for is in most runs.
  package var filter: Filter?

  /// Row id of the block that begins with `hash`, or would.
  func block(of hash: Hash128) -> Int64 { Self.block(of: hash, run: id) }

  static func block(of hash: Hash128, run: Int64) -> Int64 { run << 32 | Int64(hash.high >> 32) }

  /// The upper half of the hash that a block's records are counted from: by its row id, and by its
  /// first record.
  static func base(ofBlock id: Int64) -> UInt64 { UInt64(UInt32(truncatingIfNeeded: id)) << 32 }
  static func base(startingWith hash: Hash128) -> UInt64 { (hash.high >> 32) << 32 }
}

/// The runs that count, by kind, oldest first.
package struct LiveRuns: Sendable {
  package var keys: [Run] = []
  package var usage: [Run] = []

  /// How many there are.
  package var count: Int { keys.count + usage.count }

  /// Adds the run of a flush.
  package mutating func append(_ run: Run) {
    switch run.kind {
    case .keys: keys.append(run)
    case .usage: usage.append(run)
    }
  }

  /// The runs that should become one: as many of the lowest level as ``StoreLimits/runFanOut``.
  package var mergeable: [Run]? { Self.mergeable(keys) ?? Self.mergeable(usage) }

  private static func mergeable(_ runs: [Run]) -> [Run]? {
    for level in Set(runs.map(\.level)).sorted() {
      let same = runs.filter { $0.level == level }
      if same.count >= StoreLimits.runFanOut {
        return Array(same.prefix(StoreLimits.runFanOut))
      }
    }
    return nil
  }

  /// Puts a merged run in the place of its sources.
  package mutating func replace(_ sources: [Run], with merged: Run) {
    let gone = Set(sources.map(\.id))
    keys.removeAll { gone.contains($0.id) }
    usage.removeAll { gone.contains($0.id) }
    append(merged)
    keys.sort { $0.lastSequence < $1.lastSequence }
    usage.sort { $0.lastSequence < $1.lastSequence }
  }
}
