import AppStore
import Foundation
import Metering
import Wire

/// Answers refund cases, one at a time, on a thread of its own.
final class Answerer: @unchecked Sendable {
  // Unchecked: everything but `sending` and `state` belongs to the thread that calls `run`.
  private let sidecar: SidecarConnection
  private let appStore: AppStoreConnection?
  private let mode: ResponderSettings.Mode
  private let bundleIds: [ByteString]
  private let name: ByteString
  private let state: ResponderState
  private let recovered: () -> Void
  /// Held from the claim to the report: an orderly end waits for it.
  let sending = NSLock()
  private var desk: CaseDesk
  private var cursor: ByteString?
  /// When the last listing came, monotonic nanoseconds.
  private var listedAt: UInt64 = 0
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
    bundleIds = configuration.appStore?.bundleIds ?? []
    desk = CaseDesk(fills: appStore != nil)
  }

  /// Works until the end.
  func run() {
    var isUp = true
    while !state.isStopped {
      do throws(SidecarConnection.Fault) {
        try deliverReports()
        try listen()
        if !isUp { recovered() }
        isUp = true
        state.note { $0.isSidecarUp = true }
        try work()
      } catch {
        if isUp { Log.write("waiting for the sidecar: \(error)") }
        isUp = false
        cursor = nil
        state.note { $0.isSidecarUp = false }
        state.pause(milliseconds: RespondLimits.reconnectMilliseconds)
      }
    }
  }

  /// Waits for cases, but not beyond the instant at which something is due. Figures of an open case
  /// may change with every event: listings keep a distance from each other.
  private func listen() throws(SidecarConnection.Fault) {
    let rested = Int(clamping: (Clock.monotonic() - listedAt) / 1_000_000)
    if rested < RespondLimits.listingSpacingMilliseconds {
      state.pause(milliseconds: RespondLimits.listingSpacingMilliseconds - rested)
    }
    var seconds = RespondLimits.pollSeconds
    if case .wait(let until?) = desk.next(at: Clock.now()) {
      let microseconds = until.microseconds - Clock.now().microseconds
      seconds = Int(min(Int64(seconds), max(0, microseconds / 1_000_000)))
      // Less than a second can't be asked for.
      if seconds == 0 { state.pause(milliseconds: Int(max(0, microseconds) / 1000) + 1) }
    }
    let answer = try sidecar.openCases(waitSeconds: cursor == nil ? 0 : seconds, after: cursor)
    cursor = answer.cursor
    listedAt = Clock.monotonic()
    // Without a cursor there is nothing to wait by, so it is asked again and again.
    if cursor == nil { state.pause(milliseconds: RespondLimits.reconnectMilliseconds) }
    desk.take(answer.cases)
    observed = observed.filter { id, _ in answer.cases.contains { $0.id == id } }
    tellState()
  }

  private func tellState() {
    let now = Clock.now()
    for id in desk.takeMissed(at: now) {
      state.note { $0.count(.missed, httpClass: "none") }
      Log.write("case \(id): missed; no attempt succeeded in time")
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

  /// Does all that is due. Throws when the sidecar has gone.
  private func work() throws(SidecarConnection.Fault) {
    while !state.isStopped {
      switch desk.next(at: Clock.now()) {
      case .wait: return
      case .fill(let one): try fill(one)
      case .send(let one, let variant):
        if mode == .observe {
          observe(one)
        } else {
          sending.lock()
          defer { sending.unlock() }
          if !state.isStopped { try send(one, variant) }
        }
      }
    }
  }

  private func observe(_ one: OpenCase) {
    // Nothing is due again until the case's figures change, which a new listing tells.
    desk.hold(one.id, until: Clock.now().adding(microseconds: RespondLimits.holdMicroseconds))
    do throws(ConsumptionBody.Fault) {
      guard let proposal = one.proposal else { return }
      let body = try ConsumptionBody(proposal).json
      guard observed.updateValue(body, forKey: one.id) != body else { return }
      state.note { $0.count(.observed, httpClass: "none") }
      Log.write("case \(one.id): would send \(String(decoding: body, as: UTF8.self))")
    } catch {
      desk.drop(one.id)
      Log.write("case \(one.id): the proposed body can't be sent: \(error)")
    }
  }

  private func send(
    _ listed: OpenCase, _ variant: RetryPlan.Variant
  ) throws(SidecarConnection.Fault) {
    guard let appStore, try claim(listed) else { return }
    var one = listed
    guard one.update(try sidecar.consumption(of: one.transactionId)), let proposal = one.proposal
    else {
      // Answered, gated or gone meanwhile: the next listing says which.
      desk.hold(listed.id, until: Clock.now().adding(microseconds: 1_000_000))
      return
    }
    var body: ConsumptionBody
    do throws(ConsumptionBody.Fault) {
      body = try ConsumptionBody(proposal)
    } catch {
      desk.drop(one.id)
      Log.write("case \(one.id): the proposed body can't be sent: \(error)")
      return
    }
    if variant.omitsPercentage { body.consumptionPercentage = nil }
    guard let environment = one.environment, let bundleId = try bundleId(of: one) else {
      desk.drop(one.id)
      Log.write("case \(one.id): which app sold it isn't known")
      return
    }
    let outcome: RetryPlan.Outcome
    var status: Int?
    do throws(NetworkFault) {
      let result = try appStore.send(
        .sendConsumption(body, of: one.transactionId), bundleId: bundleId, to: environment,
        byServerClock: variant.trustsServerClock)
      switch result {
      case .success(let response):
        status = response.status
        outcome = .accepted
      case .failure(let refusal):
        status = refusal.status
        outcome = .refused(refusal)
      }
    } catch {
      Log.write("case \(one.id): \(error)")
      outcome = .unreachable
    }
    conclude(one.id, body, outcome, status)
    try deliverReports()
  }

  /// Plans on, counts, tells, and leaves a report.
  private func conclude(
    _ id: ByteString, _ body: ConsumptionBody, _ outcome: RetryPlan.Outcome, _ status: Int?
  ) {
    let now = Clock.now()
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
    } catch .refused(409, let code) {
      if code == "claimed" { state.note { $0.count(.claimed, httpClass: "none") } }
      desk.hold(one.id, until: Clock.now().adding(microseconds: RespondLimits.holdMicroseconds))
      return false
    } catch .refused(let status, let code) {
      desk.drop(one.id)
      Log.write("case \(one.id): can't be claimed: \(status) \(code)")
      return false
    }
  }

  /// The app that sold a purchase: the only one there is, or what the purchase says.
  private func bundleId(of one: OpenCase) throws(SidecarConnection.Fault) -> ByteString? {
    if bundleIds.count == 1 { return bundleIds.first }
    let id = PercentCoding.encode(one.transactionId.bytes)
    let purchase = try sidecar.send("GET", "/v1/transactions/\(id)")
    return purchase?["bundleId"]?.string.flatMap { bundleIds.contains($0) ? $0 : nil }
  }

  private func deliverReports() throws(SidecarConnection.Fault) {
    while let report = reports.first {
      do {
        _ = try sidecar.send("POST", "\(report.target)/response", body: report.json)
      } catch .refused(let status, let code) {
        // 409: another has answered meanwhile. Nothing of it would help a second time.
        Log.write("case \(report.id): its report is refused: \(status) \(code)")
      } catch .malformed {
        // Taken, whatever was said about it.
      }
      reports.removeFirst()
    }
    state.note { $0.pendingReports = 0 }
  }

  /// Asks Apple for a purchase that nobody has told of.
  private func fill(_ one: OpenCase) throws(SidecarConnection.Fault) {
    desk.hold(one.id, until: Clock.now().adding(microseconds: RespondLimits.holdMicroseconds))
    guard let appStore else { return }
    for bundleId in bundleIds {
      for environment in StoreEnvironment.allCases {
        do throws(AppStoreFault) {
          let answer = try appStore.ask(
            .info(of: one.transactionId), bundleId: bundleId, in: environment)
          guard let info = try? TransactionInfo(answer) else { continue }
          try feed(info, of: one)
          return
        } catch {
          if case .refused(let refusal) = error, refusal.code == APIRefusal.transactionNotFound {
            continue
          }
          Log.write("case \(one.id): its purchase can't be asked for: \(error)")
          return
        }
      }
    }
    desk.drop(one.id)
    Log.write("case \(one.id): Apple doesn't know its purchase")
  }

  private func feed(_ info: TransactionInfo, of one: OpenCase) throws(AppStoreFault) {
    do throws(SidecarConnection.Fault) {
      try sidecar.feed(info.signedTransactionInfo, to: .transaction)
      state.note { $0.transactionsFed[.taken, default: 0] += 1 }
      Log.write("case \(one.id): asked Apple for its purchase")
    } catch {
      state.note { $0.transactionsFed[.refused, default: 0] += 1 }
      throw .malformed("\(error)")
    }
  }
}

extension OpenCase {
  /// Where the socket has it.
  var target: String { "/v1/refund-requests/\(PercentCoding.encode(id.bytes))" }
}
