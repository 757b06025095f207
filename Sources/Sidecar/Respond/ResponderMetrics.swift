package import AppStore
package import Metering
package import Wire

/// The responder's figures since its start.
package struct ResponderMetrics: Sendable {
  /// Labels of a call to Apple.
  package struct Call: Hashable, Comparable, Sendable {
    package var endpoint: AppStoreCall.Endpoint
    /// `2xx`, `4xx`, `5xx`, or the kind of network fault.
    package var result: String

    package static func < (left: Call, right: Call) -> Bool {
      (left.endpoint.rawValue, left.result) < (right.endpoint.rawValue, right.result)
    }
  }

  /// What an attempt to answer came to.
  package enum AttemptResult: String, CaseIterable, Sendable {
    /// Apple took it.
    case answered
    /// It will be tried again.
    case failed
    /// Apple refused it for good.
    case refused
    /// Mode `observe`: it would have been sent.
    case observed
    /// Another responder had claimed it.
    case claimed
    /// The time to answer ended with failures.
    case missed
  }

  /// Labels of an attempt.
  package struct Attempt: Hashable, Comparable, Sendable {
    package var result: AttemptResult
    /// `2xx`, `4xx`, `5xx`, `network`, or `none` where nothing was sent.
    package var httpClass: String

    package static func < (left: Attempt, right: Attempt) -> Bool {
      (left.result.rawValue, left.httpClass) < (right.result.rawValue, right.httpClass)
    }
  }

  /// What became of one of Apple's POSTs.
  package enum Intake: String, CaseIterable, Sendable {
    case accepted, unverified, malformed, refused, unavailable
  }

  /// What became of a payload that was fetched to catch up.
  package enum Fed: String, CaseIterable, Sendable {
    case taken, refused
  }

  package var mode = ResponderSettings.Mode.observe
  package var calls: [Call: UInt64] = [:]
  package var callDuration = DurationHistogram()
  package var attempts: [Attempt: UInt64] = [:]
  package var intake: [Intake: UInt64] = [:]
  package var notificationsFed: [Fed: UInt64] = [:]
  package var transactionsFed: [Fed: UInt64] = [:]
  /// Reports that the sidecar hasn't got yet.
  package var pendingReports = 0
  /// Open cases by gate; `none` can be answered.
  package var openCases: [ByteString: Int] = [:]
  /// When the time of the most urgent case ends; nil without one.
  package var mostUrgent: Instant?
  /// How far Apple's clock is ahead of ours; nil while unknown.
  package var clockSkewMicroseconds: Int64?
  package var isSidecarUp = false

  /// Nothing has happened.
  package init() {}

  /// Counts an attempt.
  package mutating func count(_ result: AttemptResult, httpClass: String) {
    attempts[Attempt(result: result, httpClass: httpClass), default: 0] += 1
  }

  /// The answer to a scrape at an instant.
  package func response(
    process: ProcessMetrics?, format: MetricsFormat, version: String, now: Instant
  ) -> HTTPResponse {
    var output: [UInt8] = []
    let all =
      attemptFamilies + callFamilies(format) + inputFamilies + stateFamilies(version, now)
      + (process?.families ?? [])
    for family in all { family.write(to: &output, format: format) }
    if format == .openMetrics100 { output.append(contentsOf: "# EOF\n".utf8) }
    return HTTPResponse(
      status: 200, headers: [("Content-Type", format.contentType), ("Vary", "Accept")],
      body: output)
  }
}

extension ResponderMetrics {
  private var attemptFamilies: [MetricFamily] {
    var family = MetricFamily(
      "outlay_responder_attempts", .counter, "Attempts to answer a refund request.")
    for (labels, count) in attempts.sorted(by: { $0.key < $1.key }) {
      family.add("\(count)", ["result": labels.result.rawValue, "class": labels.httpClass])
    }
    return [family]
  }

  private func callFamilies(_ format: MetricsFormat) -> [MetricFamily] {
    var calls = MetricFamily(
      "outlay_responder_app_store_calls", .counter, "Calls to the App Store Server API.")
    for (labels, count) in self.calls.sorted(by: { $0.key < $1.key }) {
      calls.add("\(count)", ["endpoint": labels.endpoint.rawValue, "result": labels.result])
    }
    var duration = MetricFamily(
      "outlay_responder_app_store_call_duration_seconds", .histogram,
      "Time of a call to the App Store Server API.", unit: "seconds")
    duration.add(callDuration, format: format)
    return [calls, duration]
  }

  private var inputFamilies: [MetricFamily] {
    var intake = MetricFamily(
      "outlay_responder_notifications", .counter, "Notifications of the App Store received.")
    for result in Intake.allCases {
      intake.add("\(self.intake[result] ?? 0)", ["result": result.rawValue])
    }
    var fed = MetricFamily(
      "outlay_responder_caught_up", .counter, "Signed payloads fetched from the App Store.")
    for result in Fed.allCases {
      fed.add(
        "\(notificationsFed[result] ?? 0)",
        ["payload": "notification", "result": result.rawValue])
      fed.add(
        "\(transactionsFed[result] ?? 0)", ["payload": "transaction", "result": result.rawValue])
    }
    return [intake, fed]
  }

  private func stateFamilies(_ version: String, _ now: Instant) -> [MetricFamily] {
    var mode = MetricFamily("outlay_responder_mode", .gauge, "1 for the mode in force.")
    for one in ResponderSettings.Mode.allCases {
      mode.add(one == self.mode ? "1" : "0", ["mode": one.rawValue])
    }
    var open = MetricFamily(
      "outlay_responder_open_cases", .gauge, "Open cases by the gate that holds them.")
    for (gate, count) in openCases.sorted(by: { $0.key < $1.key }) {
      open.add("\(count)", ["gate": gate.string])
    }
    var left = MetricFamily(
      "outlay_responder_time_left_seconds", .gauge,
      "Time left to answer the most urgent case.", unit: "seconds")
    if let mostUrgent {
      left.add(seconds(mostUrgent.microseconds - now.microseconds))
    }
    var skew = MetricFamily(
      "outlay_responder_clock_skew_seconds", .gauge,
      "How far the App Store's clock is ahead of ours.", unit: "seconds")
    if let clockSkewMicroseconds { skew.add(seconds(clockSkewMicroseconds)) }
    var pending = MetricFamily(
      "outlay_responder_pending_reports", .gauge, "Reports that the sidecar hasn't got yet.")
    pending.add("\(pendingReports)")
    var up = MetricFamily("outlay_responder_sidecar_up", .gauge, "Whether the sidecar answers.")
    up.add(isSidecarUp ? "1" : "0")
    var build = MetricFamily("outlay_build_info", .gauge, "The program's version.")
    build.add("1", ["version": version])
    let lost = MetricFamily.logLinesLost(Log.lines.lost)
    return [mode, open, left, skew, pending, up, lost, build]
  }

  private func seconds(_ microseconds: Int64) -> String {
    MetricNumber.scaled(Int128(microseconds), decimals: 6)
  }
}
