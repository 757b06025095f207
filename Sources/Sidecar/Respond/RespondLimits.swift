/// Every bound of the responder, each with its reason.
enum RespondLimits {
  /// Bytes of one of Apple's POSTs: a signed payload has 256 KiB at most.
  static let notificationBytes = 320 * 1024
  /// Connections to each of the responder's listeners: Apple sends a rush of notifications at once,
  /// each on its own connection or through a proxy's.
  static let connections = 512
  /// Threads that hand notifications over, each on a connection of its own. The sidecar proves one
  /// after the other: more threads would only wait.
  static let forwarders = 8
  /// How long a notification may take from its arrival to its answer, milliseconds. Apple counts
  /// what takes half a minute as lost; a rush of some hundred takes the sidecar a second or two.
  static let forwardMilliseconds = 8_000
  /// Least time between two lines of the same kind that anybody can cause, seconds.
  static let repeatedLineSeconds = 60
  /// Longest wait for cases, seconds: how late an end of the program is noticed by nobody else.
  static let pollSeconds = 30
  /// What the sidecar may take for an answer beside the time it was asked to wait, milliseconds.
  static let answerMilliseconds: Int32 = 10_000
  /// Least time between two listings of cases, milliseconds: nothing beside the time to answer,
  /// and a customer who goes on using what is asked back doesn't keep both processes busy.
  static let listingSpacingMilliseconds = 200
  /// In a row of work, the time after which it is looked whether something more urgent has come,
  /// milliseconds; and how often the time that a look takes has to pass before it.
  static let workSpacingMilliseconds = 1_000
  static let workFactor: UInt64 = 9
  /// Cases of one page.
  static let pageCases = 100
  /// Longest call to Apple, seconds, as the HTTPS client has it.
  static let callSeconds = 30
  /// Seconds of a claim: the claim's own answer, the two questions before the call, the longest
  /// call, and the report, so that nobody else can claim a case whose answer is on its way; and
  /// what a busy machine lets all of that wait.
  static let claimSeconds = 4 * Int(answerMilliseconds) / 1_000 + callSeconds + 20
  /// Seconds of a claim that must be left when the call begins.
  static let sendSeconds = callSeconds + Int(answerMilliseconds) / 1_000
  /// How long a case is left alone that another responder has, or whose purchase Apple didn't give,
  /// microseconds.
  static let holdMicroseconds: Int64 = 30_000_000
  /// How long a case is left alone whose purchase Apple doesn't know, microseconds, unless somebody
  /// tells of it: it may come late.
  static let unknownHoldMicroseconds: Int64 = 600_000_000
  /// Longest time that one refusal for too many calls holds all cases, microseconds: Apple counts
  /// over an hour.
  static let longestQuietMicroseconds: Int64 = 3_600_000_000
  /// Between two attempts to reach a sidecar that is down, milliseconds.
  static let reconnectMilliseconds = 1_000
  /// Reports that wait for a sidecar that is down; the oldest are dropped and told.
  static let pendingReports = 10_000
  /// How long the program's end waits for an answer that is on its way, seconds: the longest call
  /// to Apple, so that what was sent is reported.
  static let endSeconds = 35.0
  /// How long it waits after that for a sidecar that is down, seconds: a restart's time. An answer
  /// without its report is sent again by the next responder.
  static let reportSeconds = 10.0
  /// Between two attempts to report at the end, milliseconds.
  static let reportPauseMilliseconds = 100
  /// How far back failed deliveries are fetched, microseconds: the sandbox keeps them for thirty
  /// days, production longer.
  static let lookBackMicroseconds: Int64 = 29 * 86_400_000_000
  /// How old a refund request may be that is fetched, microseconds: later answers are of no use to
  /// Apple.
  static let requestMicroseconds: Int64 = 12 * 3_600_000_000
  /// Payloads that are known to have been handed over: of more, some are handed over again, which
  /// changes nothing.
  static let knownPayloads = 100_000
  /// Clocks that differ by less count as the same, microseconds: Apple's tells whole seconds, and
  /// an answer takes a while.
  static let agreeingClocksMicroseconds: Int64 = 2_000_000
  /// Between two looks for deliveries that failed before they reached us, seconds: a proxy or a
  /// certificate in front of us may fail without our knowing.
  static let catchUpSeconds = 600.0
  /// After a look that failed, seconds.
  static let catchUpRetrySeconds = 60.0
  /// Least time between two looks, milliseconds: an outage with many failures asks once.
  static let catchUpSpacingMilliseconds = 5_000
  /// Pages of one history: far more than 12 hours have, and an end for a store that never ends.
  static let historyPages = 1_000
  /// Cases whose customers' refunds are looked up at start: Apple takes ten a second.
  static let refundLookUps = 1_000
  /// How long `--test` waits for the notification, milliseconds.
  static let testMilliseconds = 60_000
  /// Between two questions what became of it, milliseconds.
  static let testPauseMilliseconds = 1_000
}
