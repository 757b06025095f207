import Metering

extension Ledger {
  /// Begins to merge runs of one kind into one of the next level.
  package func beginMerge(_ runs: [Run]) throws -> any RunMerge {
    try connection.write { () -> any RunMerge in
      switch runs.first?.kind {
      case .keys: try KeyMerge(connection, runs)
      case .usage: try UsageMerge(connection, runs)
      case nil: preconditionFailure("nothing to merge")
      }
    }
  }

  /// Copies a slice, within about ``StoreLimits/mergeSliceBytes``; false when all is copied.
  package func copySlice(_ merge: any RunMerge) throws -> Bool {
    try connection.write { try merge.copySlice() }
  }

  /// Makes the merged run live in place of its sources, which are dead then but still there.
  package func finish(_ merge: any RunMerge) throws -> Run {
    try connection.write {
      let retire = try connection.cached("UPDATE run SET live = 0 WHERE id = ?")
      for run in merge.sources {
        retire.bind(1, run.id)
        try retire.run()
      }
      return try merge.finish()
    }
  }

  /// Removes some blocks of a run that isn't live: a merged one, or one whose merge was cut short.
  /// False when there is none. Nobody may still look into such runs outside of a snapshot.
  package func removeDeadSlice() throws -> Bool {
    var dead: Int64?
    try connection.cached("SELECT id FROM run WHERE live = 0 LIMIT 1").forEach {
      dead = $0.integer(0)
    }
    guard let dead else { return false }
    try connection.write {
      let delete = try connection.cached(
        "DELETE FROM block WHERE id IN "
          + "(SELECT id FROM block WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)")
      delete.bind(1, dead << 32)
      delete.bind(2, (dead + 1) << 32)
      delete.bind(3, StoreLimits.removedBlocks)
      try delete.run()
      guard connection.changes == 0 else { return }
      for table in ["filter", "run"] {
        let last = try connection.cached("DELETE FROM \(table) WHERE id = ?")
        last.bind(1, dead)
        try last.run()
      }
    }
    return true
  }

  /// Copies the log into the file, as far as readers let it.
  package func checkpoint() throws { try connection.checkpoint() }
}
