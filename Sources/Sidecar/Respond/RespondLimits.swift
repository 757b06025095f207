/// Every bound of the responder, each with its reason.
enum RespondLimits {
  /// Bytes of one of Apple's POSTs: a signed payload has 256 KiB at most.
  static let notificationBytes = 320 * 1024
  /// Notifications that are being forwarded; more are told to come again.
  static let forwards = 16
  /// How long the sidecar may take for a notification, milliseconds: Apple is answered within a
  /// second, whatever happens.
  static let forwardMilliseconds: Int32 = 900
  /// Longest wait for cases, seconds: how late an end of the program is noticed by nobody else.
  static let pollSeconds = 30
  /// What the sidecar may take for an answer beside the time it was asked to wait, milliseconds.
  static let answerMilliseconds: Int32 = 10_000
  /// Least time between two listings of cases, milliseconds: nothing beside the time to answer,
  /// and a customer who goes on using what is asked back doesn't keep both processes busy.
  static let listingSpacingMilliseconds = 200
  /// Cases of one page.
  static let pageCases = 100
  /// Seconds of a claim: the longest call to Apple and the report after it.
  static let claimSeconds = 60
  /// How long a case is left alone that another responder has, or whose purchase Apple didn't give,
  /// microseconds.
  static let holdMicroseconds: Int64 = 30_000_000
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
  /// How far back failed deliveries matter, microseconds: later answers are of no use to Apple.
  static let lookBackMicroseconds: Int64 = 12 * 3_600_000_000
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
