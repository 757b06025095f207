package import Metering

/// What recomputing the books from the journal found.
package struct Verification: Sendable {
  /// Last journal entry that the ledger covers: what was compared.
  package internal(set) var sequence: UInt64 = 0
  /// Accepted events up to there.
  package internal(set) var events: UInt64 = 0
  /// Purchases, sums and waiting readings compared.
  package internal(set) var purchases = 0
  package internal(set) var sums = 0
  package internal(set) var waiting = 0
  /// Purchases whose figures in the rollup were reckoned again; nil where they couldn't be, since
  /// the configuration isn't given or isn't the one that they were made under, or since the store
  /// isn't at rest.
  package internal(set) var figures: Int?
  /// Sentences about what differs, at most ``differencesKept``.
  package private(set) var differences: [String] = []
  /// How much differs.
  package private(set) var differenceCount = 0

  /// Differences told one by one; there may be as many as purchases.
  package static let differencesKept = 100

  mutating func note(_ difference: @autoclosure () -> String) {
    differenceCount += 1
    if differences.count < Self.differencesKept { differences.append(difference()) }
  }

  /// Reads the journal and the ledger of a store, also beside the process that serves it, and
  /// compares the ledger with what the journal makes of it, twice: every sum of every purchase, its
  /// trail, levels, waiting readings, the quarter-hour sums and the counters with an account that
  /// shares nothing with how the books are kept; and all rows of all tables, keys and filters too,
  /// with a ledger made anew in a folder below `scratch`, which takes as much space as the store's.
  /// With the configuration that the store is kept under, what gauges tell is reckoned again too.
  /// `progress` gets shares of 1.
  ///
  /// Throws a ``StoreFault`` or ``LedgerError`` when one of them can't be read at all.
  package static func run(
    directory: String, disk: any Disk, configuration: Configuration? = nil,
    sumsAtOnce: Int = VerifyLimits.sumsAtOnce, scratch: String = "/tmp",
    progress: (Double) -> Void = { _ in }
  ) throws -> Verification {
    let view = try LedgerView(path: directory + "/ledger.db")
    return try view.connection.read {
      let applied = try view.applied()
      // Behind the snapshot, so that the journal has all that the ledger covers.
      let journal = try Journal.openForReading(disk: disk)
      guard applied <= journal.sequence else {
        throw StoreFault.damaged(
          "ledger.db covers entry \(applied), but the journal ends at \(journal.sequence)")
      }
      var comparison = Comparison(
        view: view, journal: journal, applied: applied, sumsAtOnce: sumsAtOnce,
        scratch: scratch)
      return try comparison.run(under: configuration, progress)
    }
  }
}

/// Bounds of a verification.
package enum VerifyLimits {
  /// Sums held at once, some 200 bytes each: more events take more passes over the journal.
  package static let sumsAtOnce = 1_000_000
  /// Frames of a commit that its facts may refer back to.
  static let framesOfACommit = 4_096
}
