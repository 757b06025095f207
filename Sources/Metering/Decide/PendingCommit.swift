/// What a commit has planned and nothing applied yet shows: later steps of its batch see it, and
/// all of it is dropped when the commit is confirmed or abandoned.
struct PendingCommit: ~Copyable {
  /// Event keys decided, at their frame and number.
  var keys = KeyTable(capacity: Limits.batchEvents)
  /// Records as they will be.
  var records: [ByteString: PurchaseRecord] = [:]
  /// Transactions of ``records`` by chain, and by the key of their account token.
  var chains: [ByteString: Set<ByteString>] = [:]
  var tokens: [ByteString: Set<ByteString>] = [:]
  /// Customers by the chain that is linked to them, and how many links there are.
  var links: [ByteString: ByteString] = [:]
  var linkCount: UInt64 = 0
  /// Transactions with usage that nobody knows.
  var early: Set<ByteString> = []
  /// Whether an opening balance is booked.
  var hasOpening = false
  /// Whose readings wait from now on.
  var waiting: Set<WaitingSubject> = []
  /// Notifications taken in.
  var notifications: Set<ByteString> = []
  /// Work that is left, and what was done of former work.
  var followUps: [(work: FollowUp, state: FollowUpState)] = []
  var progress: FollowUpStep?
  /// What is booked to transactions, while the decider tracks use.
  var uses: [ByteString: [PendingUse]] = [:]
  /// Own costs by currency, for their overflow guards.
  var amounts: [UInt32: Int128] = [:]
  /// Rejections by code.
  var rejections: [UInt8: UInt64] = [:]
  /// By how much kept events grow, and those that are let go.
  var quarantineBytes: Int64 = 0
  var releases: Set<UInt64> = []
  /// What changes of the kept identities and of the sources that send marks, to be taken back.
  var kept: [(identity: UInt64, wasKept: Bool)] = []
  var marks: [(source: ByteString, wasMarked: Bool)] = []

  /// Lets go what would take marks and kept identities back.
  mutating func settleMarksAndKept() {
    kept.empty()
    marks.empty()
  }

  /// Begins anew, keeping what memory a usual commit needs. Marks and kept identities are settled
  /// or taken back before.
  mutating func forget() {
    keys.removeAll()
    records.empty()
    chains.empty()
    tokens.empty()
    links.empty()
    linkCount = 0
    early.empty()
    hasOpening = false
    waiting.empty()
    notifications.empty()
    followUps.empty()
    progress = nil
    uses.empty()
    amounts.empty()
    rejections.empty()
    quarantineBytes = 0
    releases.empty()
  }
}
