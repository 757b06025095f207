import AppStore
import Foundation
import Metering
import Store
import Wire

/// Answers refund cases, one at a time, on a thread of its own.
final class Answerer: @unchecked Sendable {
  // Unchecked: everything but `settlement` and `state` belongs to the thread that calls `run`.
  private let sidecar: SidecarConnection
  private let appStore: AppStoreConnection?
  private let search: PurchaseSearch?
  private let mode: ResponderSettings.Mode
  private let bundleIds: [ByteString]
  private let name: ByteString
  private let state: ResponderState
  private let recovered: () -> Void
  /// An orderly end waits for it.
  let settlement = Settlement()
  private var desk: CaseDesk
  private var listing = ListingPlan()
  private var cursor: ByteString?
  private var reports: [CaseReportMessage] = []
  /// What observing has told of: the body by case, so that each is told once.
  private var observed: [ByteString: [UInt8]] = [:]

  /// `name` is this responder's among all; without `appStore` nothing can be sent or asked.
  /// `recovered` is told when the sidecar answers again after it didn't.
  init(
    sidecar: SidecarConnection, appStore: AppStoreConnection?, configuration: Configuration,
    name: ByteString, state: ResponderState, recovered: @escaping () -> Void
  ) {
    self.sidecar = sidecar
    self.appStore = appStore
    self.name = name
    self.state = state
    self.recovered = recovered
    mode = configuration.responder.mode
    let bundleIds = configuration.appStore?.bundleIds ?? []
    self.bundleIds = bundleIds
    search = appStore.map { appStore in
      PurchaseSearch(
        appStore: appStore, bundleIds: bundleIds, environments: configuration.storeEnvironments)
    }
    desk = CaseDesk(fills: appStore != nil)
  }

  /// Works until the end, and then until nothing is left to report.
  func run() {
    var isUp: Bool?
    while !state.isStopped {
      do throws(SidecarConnection.Fault) {
        try deliverReports()
        guard try turn(), isUp != true else { continue }
        if isUp == false { recovered() }
        isUp = true
        state.note { $0.isSidecarUp = true }
        tellWhatIsMissing()
      } catch {
        if isUp != false { Log.write("waiting for the sidecar: \(error)") }
        isUp = false
        cursor = nil
        listing.forget()
        state.note { $0.isSidecarUp = false }
        state.pause(milliseconds: RespondLimits.reconnectMilliseconds)
      }
    }
    deliverTheRest()
  }

  /// Does one thing; true when it was to list, so that the sidecar has answered.
  private func turn() throws(SidecarConnection.Fault) -> Bool {
    let now = SystemClock.now()
    switch listing.step(desk.next(at: now), at: now, monotonic: SystemClock.monotonic()) {
    case .rest(let milliseconds): state.pause(milliseconds: milliseconds)
    case .work: try work()
    case .list(let seconds):
      try list(seconds)
      return true
    }
    return false
  }

  private func list(_ seconds: Int) throws(SidecarConnection.Fault) {
    let start = SystemClock.monotonic()
    let answer = try sidecar.openCases(waitSeconds: cursor == nil ? 0 : seconds, after: cursor)
    cursor = answer.cursor
    // What was waited is no work of the sidecar's.
    let end = SystemClock.monotonic()
    listing.listed(from: seconds == 0 ? start : end, to: end, hasCursor: cursor != nil)
    desk.take(answer.cases, at: SystemClock.now())
    observed = observed.filter { id, _ in answer.cases.contains { $0.id == id } }
    tellState()
  }

  private func tellState() {
    let now = SystemClock.now()
    for notice in desk.takeNotices(at: now) {
      if case .failed = notice { state.note { $0.count(.missed, httpClass: "none") } }
      Log.write("\(notice)")
    }
    var byGate: [ByteString: Int] = [:]
    for one in desk.cases { byGate[one.gate ?? "none", default: 0] += 1 }
    let urgent = desk.mostUrgent(at: now)
    state.note { figures in
      figures.openCases = byGate
      figures.mostUrgent = urgent
      figures.pendingReports = reports.count
    }
  }

  /// Says once what a person would wait for in vain.
  private func tellWhatIsMissing() {
    do throws(SidecarConnection.Fault) {
      if let refusal = try sidecar.refusalOfNotifications() {
        Log.write("Apple's notifications will be refused: \(refusal)")
      }
    } catch {
      // It has gone again, which the next turn tells.
    }
  }

  /// Does the most urgent of what is due. Throws when the sidecar has gone.
  private func work() throws(SidecarConnection.Fault) {
    switch desk.next(at: SystemClock.now()) {
    case .wait: return
    case .fill(let one): try fill(one)
    case .send(let one, let variant):
      if mode == .observe {
        observe(one)
      } else if settlement.begin() {
        defer { settlement.rest(pending: reports.count) }
        try send(one, variant)
      }
    }
  }

  private func observe(_ one: OpenCase) {
    // Nothing is due again until the case's figures change, which a new listing tells.
    desk.holdUnchanged(one.id)
    do throws(ConsumptionBody.Fault) {
      guard let proposal = one.proposal else { return }
      let body = try ConsumptionBody(proposal).json
      guard observed.updateValue(body, forKey: one.id) != body else { return }
      state.note { $0.count(.observed, httpClass: "none") }
      Log.write("case \(one.id): would send \(String(decoding: body, as: UTF8.self))")
    } catch {
      Log.write("case \(one.id): the proposed body can't be sent: \(error)")
    }
  }

  private func send(
    _ listed: OpenCase, _ variant: RetryPlan.Variant
  ) throws(SidecarConnection.Fault) {
    let asked = SystemClock.monotonic()
    guard let appStore, try claim(listed) else { return }
    var one = listed
    guard one.update(try sidecar.consumption(of: one.transactionId)), let proposal = one.proposal
    else {
      // Answered, gated or gone meanwhile: the next listing says which.
      desk.hold(listed.id, until: SystemClock.now().adding(microseconds: 1_000_000))
      return
    }
    var body: ConsumptionBody
    do throws(ConsumptionBody.Fault) {
      body = try ConsumptionBody(proposal)
    } catch {
      desk.holdUnchanged(one.id)
      Log.write("case \(one.id): the proposed body can't be sent: \(error)")
      return
    }
    if variant.omitsPercentage { body.consumptionPercentage = nil }
    guard let environment = one.environment, let bundleId = try bundleId(of: one) else {
      desk.hold(
        one.id, until: SystemClock.now().adding(microseconds: RespondLimits.holdMicroseconds))
      Log.write("case \(one.id): which app sold it isn't known")
      return
    }
    guard Self.isClaimLongEnough(askedAt: asked, now: SystemClock.monotonic()) else {
      return Log.write("case \(one.id): its claim is nearly over; it is claimed again")
    }
    let attempt = attempt(
      .sendConsumption(body, of: one.transactionId), of: one.id, by: appStore, bundleId,
      environment, variant)
    conclude(one.id, body, attempt.outcome, attempt.status)
    try deliverReports()
  }

  /// Sends it. An answer that broke off behind a whole status line has said what matters.
  private func attempt(
    _ call: AppStoreCall, of id: ByteString, by appStore: AppStoreConnection,
    _ bundleId: ByteString, _ environment: StoreEnvironment, _ variant: RetryPlan.Variant
  ) -> (outcome: RetryPlan.Outcome, status: Int?) {
    do throws(NetworkFault) {
      let result = try appStore.send(
        call, bundleId: bundleId, to: environment, byServerClock: variant.trustsServerClock)
      switch result {
      case .success(let response): return (.accepted, response.status)
      case .failure(let refusal): return (.refused(refusal), refusal.status)
      }
    } catch {
      if let status = error.status, (200..<300).contains(status) {
        Log.write("case \(id): Apple's answer says \(status) and broke off: \(error)")
        return (.accepted, status)
      }
      Log.write("case \(id): \(error)")
      return (.unreachable, nil)
    }
  }

  /// Plans on, counts, tells, and leaves a report.
  private func conclude(
    _ id: ByteString, _ body: ConsumptionBody, _ outcome: RetryPlan.Outcome, _ status: Int?
  ) {
    let now = SystemClock.now()
    let end = desk.record(outcome, of: id, at: now)
    var report = CaseReportMessage(id: id, body: body.json, at: now)
    report.httpStatus = status
    if case .refused(let refusal) = outcome { report.errorCode = refusal.code }
    if reports.count == RespondLimits.pendingReports {
      Log.write(
        "case \(reports.removeFirst().id): its report is lost; the sidecar is away too long")
    }
    reports.append(report)
    let result: ResponderMetrics.AttemptResult =
      switch end {
      case .answered: .answered
      case .refused: .refused
      case .tooLate, nil: .failed
      }
    let httpClass = status.map { "\($0 / 100)xx" } ?? "network"
    state.note { $0.count(result, httpClass: httpClass) }
    switch outcome {
    case .accepted: Log.write("case \(id): answered")
    case .refused(let refusal):
      Log.write("case \(id): \(refusal)\(end == nil ? "; will try again" : "")")
    case .unreachable: break
    }
  }

  /// True when the case is ours for a while. A refusal leaves it alone.
  private func claim(_ one: OpenCase) throws(SidecarConnection.Fault) -> Bool {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("responder", name)
    writer.member("seconds", RespondLimits.claimSeconds)
    writer.endObject()
    do {
      _ = try sidecar.send("POST", "\(one.target)/claim", body: writer.bytes)
      return true
    } catch .refused(let status, let code) {
      if code == "claimed" {
        state.note { $0.count(.claimed, httpClass: "none") }
      } else if status != 409 {
        Log.write("case \(one.id): can't be claimed: \(status) \(code)")
      }
      desk.hold(
        one.id, until: SystemClock.now().adding(microseconds: RespondLimits.holdMicroseconds))
      return false
    }
  }

  /// Whether a claim outlasts a call that begins now, by the clock that nobody sets: a process may
  /// have been stopped since it asked for it.
  static func isClaimLongEnough(askedAt asked: UInt64, now: UInt64) -> Bool {
    let left = RespondLimits.claimSeconds - RespondLimits.sendSeconds
    return now - asked <= UInt64(left) * 1_000_000_000
  }

  /// The app that sold a purchase: the only one there is, or what the purchase says.
  private func bundleId(of one: OpenCase) throws(SidecarConnection.Fault) -> ByteString? {
    if bundleIds.count == 1 { return bundleIds.first }
    let id = PercentCoding.encode(one.transactionId.bytes)
    let purchase = try sidecar.send("GET", "/v1/transactions/\(id)")
    return purchase?["bundleId"]?.string.flatMap { bundleIds.contains($0) ? $0 : nil }
  }
}

// MARK: - Reports

extension Answerer {
  private func deliverReports() throws(SidecarConnection.Fault) {
    guard !reports.isEmpty else { return }
    defer {
      settlement.rest(pending: reports.count)
      state.note { $0.pendingReports = reports.count }
    }
    while let report = reports.first {
      do {
        _ = try sidecar.send("POST", "\(report.target)/response", body: report.json)
      } catch .refused(let status, let code) where status < 500 {
        // 409: another has answered meanwhile. Nothing of it would help a second time.
        Log.write("case \(report.id): its report is refused: \(status) \(code)")
      } catch .malformed {
        // Taken, whatever was said about it.
      }
      reports.removeFirst()
    }
  }

  /// At the end: tries until the sidecar has all reports, or for as long as its restart may take.
  private func deliverTheRest() {
    let end = SystemClock.monotonic() + UInt64(RespondLimits.reportSeconds * 1e9)
    while !reports.isEmpty, SystemClock.monotonic() < end {
      if (try? deliverReports()) != nil { break }
      CommandSystem.sleep(milliseconds: RespondLimits.reportPauseMilliseconds)
    }
    for report in reports {
      let answer = report.httpStatus.map { "answer \($0)" } ?? "failure"
      Log.write(
        "case \(report.id): Apple's \(answer) couldn't be reported: the sidecar is away; "
          + "the case may be answered again")
    }
    settlement.giveUp()
  }
}

// MARK: - Purchases nobody has told of

extension Answerer {
  /// Asks Apple for a purchase. As soon as the sidecar knows it, it is listed with another gate.
  private func fill(_ one: OpenCase) throws(SidecarConnection.Fault) {
    guard let search else { return }
    let found = search.look(for: one.transactionId)
    var rest = RespondLimits.holdMicroseconds
    if case .unknown = found { rest = RespondLimits.unknownHoldMicroseconds }
    desk.holdUnchanged(one.id, until: SystemClock.now().adding(microseconds: rest))
    switch found {
    case .found(let info): try feed(info, of: one)
    case .unknown: Log.write("case \(one.id): Apple doesn't know its purchase")
    case .unclear(let fault):
      Log.write("case \(one.id): its purchase can't be asked for: \(fault); will try again")
    }
  }

  private func feed(_ info: TransactionInfo, of one: OpenCase) throws(SidecarConnection.Fault) {
    do throws(SidecarConnection.Fault) {
      try sidecar.feed(info.signedTransactionInfo, to: .transaction)
      state.note { $0.transactionsFed[.taken, default: 0] += 1 }
      Log.write("case \(one.id): asked Apple for its purchase")
    } catch {
      state.note { $0.transactionsFed[.refused, default: 0] += 1 }
      if error.isTemporary { throw error }
      Log.write("case \(one.id): its purchase, asked of Apple, is refused: \(error)")
    }
  }
}

extension OpenCase {
  /// Where the socket has it.
  var target: String { "/v1/refund-requests/\(PercentCoding.encode(id.bytes))" }
}
