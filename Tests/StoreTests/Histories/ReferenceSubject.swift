/// The reference behind the product's door, whole or deliberately broken.
///
/// Whole, it proves that the harness writes and reads lines and answers faithfully. Broken, it
/// proves that the harness finds what it is there to find.
final class ReferenceSubject: Subject {
  enum Defect: CaseIterable {
    case forgetsAtRestart, duplicatesCount, conflictIsDuplicate, voidsNothing, losesLastOfBatch
    case roundsPrices, endsAreInside, levelsStandStill
  }

  let now: Int64
  private var reference: Reference
  private let defect: Defect?
  private var repeats = 0

  init(_ configuration: ReferenceConfiguration, now: Int64, defect: Defect? = nil) {
    reference = Reference(configuration)
    self.now = now
    self.defect = defect
  }

  func send(_ lines: [String]) throws -> BatchAnswer {
    var events = lines.map { ReferenceEvent(line: $0) }
    var verdicts: [ReferenceVerdict] = []
    for index in events.indices {
      guard var event = events[index] else {
        verdicts.append(.rejected("invalid_json"))
        continue
      }
      spoil(&event, isLast: index == events.count - 1)
      events[index] = event
      let verdict = reference.take(event, now: now)
      if verdict == .duplicate, defect == .duplicatesCount { repeatEvent(event) }
      verdicts.append(
        verdict == .conflict && defect == .conflictIsDuplicate ? .duplicate : verdict)
    }
    return BatchAnswer(verdicts)
  }

  func put(_ change: Change) throws -> Int {
    switch change {
    case .purchase(let purchase):
      switch reference.put(purchase) {
      case .created: return 201
      case .updated: return 200
      case .mismatch: return 409
      }
    case .delivery(let id, let status): reference.putDelivery(id, status: status)
    case .customer(let id, let customer): reference.putCustomer(id, customer: customer)
    case .allowance(let id, let amounts): reference.putAllowance(id, amounts)
    }
    return 204
  }

  func consumption(_ id: String) throws -> String? {
    reference.figures(id, now: now).map { answer(id, $0) }
  }

  func unattributed(_ customer: String) throws -> [String: Exact] {
    reference.unattributed(customer: customer, now: now)
  }

  func restart(killing: Bool) throws {
    guard defect == .forgetsAtRestart else { return }
    var empty = Reference(reference.configuration)
    for purchase in reference.purchases.values { _ = empty.put(purchase) }
    reference = empty
  }

  func flush() throws {}
  func merge() throws {}
  func reload(_ configuration: ReferenceConfiguration) throws {
    reference.configuration = configuration
  }
}

// MARK: Defects

extension ReferenceSubject {
  private func spoil(_ event: inout ReferenceEvent, isLast: Bool) {
    if case .void = event.body, defect == .voidsNothing {
      event.body = .mark(through: nil)
    }
    guard case .usage(let subject, var time, var readings) = event.body else { return }
    if defect == .losesLastOfBatch, isLast { readings[0].quantity = "0" }
    if defect == .endsAreInside, let given = time, case .chain = subject {
      // One microsecond moves what lies on a border to the purchase before.
      time = given - 1
    }
    if defect == .levelsStandStill, readings[0].meter == "storage" { readings[0].quantity = "1" }
    event.body = .usage(subject: subject, time: time, readings: readings)
  }

  private func repeatEvent(_ event: ReferenceEvent) {
    repeats += 1
    var again = event
    again.key = .init(source: "repeat", id: "\(repeats)")
    _ = reference.take(again, now: now)
  }
}

// MARK: Answering

extension ReferenceSubject {
  private func answer(_ id: String, _ figures: Figures) -> String {
    let period =
      "{\"start\":\(instant(figures.start)),\"end\":\(instant(figures.end))}"
    var fields = [
      "\"asOf\":\(instant(now))", "\"productId\":\(string(figures.product))",
      "\"customer\":\(string(figures.customer))", "\"state\":\(string(figures.state))",
      "\"billingPeriod\":\(period)", "\"deliveryStatus\":\(string(figures.delivery))",
    ]
    if let percentage = figures.percentage {
      fields.append("\"consumptionPercentage\":\(percentage)")
    }
    let usage = figures.usage.map { meter, usage -> String in
      var parts = ["\"meter\":\"\(meter)\",\"unit\":\"\(usage.unit)\",\"used\":\"\(usage.used)\""]
      if let allowed = usage.allowed { parts.append("\"allowed\":\"\(allowed)\"") }
      if let share = usage.share { parts.append("\"share\":\(share)") }
      return "{\(parts.joined(separator: ","))}"
    }
    fields.append("\"usage\":[\(usage.joined(separator: ","))]")
    fields.append("\"cost\":\(cost(figures))")
    return "{\(fields.joined(separator: ","))}"
  }

  private func cost(_ figures: Figures) -> String {
    let totals = figures.totals.map { currency, amount -> String in
      let spoiled = defect == .roundsPrices ? Exact(amount)?.rounded(places: 2) : Exact(amount)
      return "{\"currency\":\"\(currency)\",\"amount\":\"\(spoiled ?? .zero)\"}"
    }
    let lines = figures.lines.map { line, quantity -> String in
      let attributes = line.attributes.map { "\"\($0.key)\":\(TinyJSON.quoted($0.value))" }
      let rate = line.rate.split(separator: "/", maxSplits: 1).map(String.init)
      let each =
        rate.count == 2 ? (Exact(rate[0]) ?? .zero) / ReferenceConfiguration.amount(rate[1]) : .zero
      let shown = rate.count == 2 ? "{\"price\":\"\(rate[0])\",\"per\":\"\(rate[1])\"}" : "null"
      return "{\"meter\":\"\(line.meter)\",\"attributes\":{\(attributes.joined(separator: ","))},"
        + "\"quantity\":\"\(quantity)\",\"rate\":\(shown),\"currency\":\"\(line.currency)\","
        + "\"amount\":\"\(quantity * each)\"}"
    }
    let unpriced = figures.unpriced.map { "{\"meter\":\"\($0.key)\",\"quantity\":\"\($0.value)\"}" }
    return "{\"complete\":\(figures.complete),\"totals\":[\(totals.joined(separator: ","))],"
      + "\"lines\":[\(lines.joined(separator: ","))],\"unpriced\":[\(unpriced.joined(separator: ","))]}"
  }

  private func string(_ text: String?) -> String { text.map(TinyJSON.quoted) ?? "null" }
  private func instant(_ time: Int64?) -> String {
    time.map { TinyJSON.quoted(Calendar.text($0)) } ?? "null"
  }
}
