import Metering
import Sidecar
import Store

/// What must hold after every step, and what is dearer to look at.
extension Simulation {
  /// Cheap enough for each step.
  mutating func checkStep() throws {
    let totals = try server.withBooks { $0.totals }
    if totals.floor < floor {
      fail("the floor fell from \(Calendar.text(floor)) to \(Calendar.text(totals.floor))")
    }
    let window = Int64(reference.configuration.dedupeDays) * Calendar.day
    let newest = totals.lastEvent == .min ? now : totals.lastEvent
    let highest = max(floor, min(now, newest) - window)
    if totals.floor > highest, server.clock.skew >= 0 {
      fail("the floor rose to \(Calendar.text(totals.floor)), beyond \(Calendar.text(highest))")
    }
    floor = totals.floor
    if steps % 4 == 0 { checkSums(totals) }
  }

  /// What stands in the books is what was accepted and not taken back.
  private mutating func checkSums(_ totals: Totals) {
    var expected: [String: Int128] = [:]
    for entry in reference.accepted where !entry.voided {
      guard case .usage(_, _, let readings) = entry.event.body else { continue }
      for reading in readings { expected[reading.meter, default: 0] += raw(reading) }
    }
    for reading in reference.openings.values.flatMap(\.readings) {
      expected[reading.meter, default: 0] += raw(reading)
    }
    for (meter, _) in World.sums {
      let sum = totals.byKey.filter { $0.key.meter == ByteString(meter) && !$0.key.isLevel }
        .reduce(Int128(0)) { $0 + $1.value.standing }
      if sum != expected[meter] ?? 0 {
        fail("\(meter) stands at \(sum), expected \(expected[meter] ?? 0), in billionths")
      }
    }
  }

  /// A quantity in billionths of its meter's base unit.
  private mutating func raw(_ reading: ReferenceReading) -> Int128 {
    let key = "\(reading.meter) \(reading.unit ?? "-") \(reading.quantity)"
    if let known = rawQuantities[key] { return known }
    let scaled = reference.base(reading) * Exact(1_000_000_000)
    let value = Int128(scaled.description) ?? 0
    rawQuantities[key] = value
    return value
  }

  /// Every answer that there is, as text, about some transactions and all the rest.
  func everything(
    _ transactions: [String], of other: SimulatedServer? = nil
  ) throws -> [String] {
    let server = other ?? server
    var answers = try transactions.map { try server.consumption($0) ?? "unknown \($0)" }
    for customer in World.customers {
      answers.append(try server.answer(.customer(ByteString(customer))) ?? "")
    }
    for chain in AppStoreLives.chains {
      answers.append(try server.answer(.subscription(ByteString(chain + "-1"))) ?? "")
    }
    let cases = try server.ask { reading in
      var writer = JSONWriter()
      try CasesAnswer(
        state: nil, after: nil, limit: 1000, from: reading, configuration: server.configuration,
        now: server.now
      ).write(items: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    return answers + [cases] + (try server.costs().map { "\($0)" })
  }

  /// Compares two tellings of ``everything(_:of:)``.
  mutating func expect(_ after: [String], _ before: [String], _ what: String) {
    guard after != before else { return }
    let differing = zip(after, before).first { $0 != $1 }
    fail("after \(what): \(differing.map { "\($0)\nbefore: \($1)" } ?? "more or fewer answers")")
  }

  mutating func compare(_ id: String) throws {
    guard stepsOut == nil else { return }
    let answer = try server.consumption(id)
    for fault in reference.faults(of: answer, about: id, now: now) { fail(fault) }
  }

  /// Everything against the reference, and against itself.
  mutating func compareAll() throws {
    guard stepsOut == nil else { return }
    // Levels are rolled up again some seconds later only.
    server.clock.truth += 15_000_000
    for id in LifeWorld.transactions { try compare(id) }
    for customer in World.customers {
      let text = try server.answer(.customer(ByteString(customer)))
      var told: [String: Exact] = [:]
      for entry in text.flatMap({ TinyJSON($0) })?["unattributed"]?.elements ?? [] {
        told[entry["meter"]?.text ?? "", default: .zero] += entry.amount("quantity")
      }
      told = told.filter { $0.value != .zero }
      let expected = reference.unattributed(customer: customer, now: now)
      if told != expected { fail("unattributed of \(customer): \(told), expected \(expected)") }
    }
    try compareCases()
    try server.rollUp()
    try compareRollup()
    try compareWays()
    try verify()
  }

  private mutating func verify() throws {
    try server.flush()
    let found = try Verification.run(
      directory: server.machine.directory, disk: server.machine.disk,
      configuration: server.configuration)
    for difference in found.differences { fail("verify: \(difference)") }
  }

  /// Every case is listed, those to be answered soonest first.
  private mutating func compareCases() throws {
    let now = now
    let all = reference.cases.flatMap { id, list in list.map { (id: id, one: $0) } }
    func text(_ entry: (id: String, one: ReferenceCase)) -> String {
      let state = entry.one.state(isSandbox: reference.isSandbox(entry.id), now: now)
      return "\(entry.id):\(entry.one.number) \(state)"
    }
    let told = try cases(state: nil)
    if told.sorted() != all.map(text).sorted() {
      fail("cases \(told), expected \(all.map(text))")
    }
    let open = all.filter { text($0).hasSuffix(" open") }.sorted {
      ($0.one.respondBy(isSandbox: reference.isSandbox($0.id)), $0.id)
        < ($1.one.respondBy(isSandbox: reference.isSandbox($1.id)), $1.id)
    }
    let listed = try cases(state: .open)
    if listed != open.map(text) { fail("open cases \(listed), expected \(open.map(text))") }
  }

  private func cases(state: RefundCaseState?) throws -> [String] {
    try server.ask { reading in
      try CasesAnswer(
        state: state, after: nil, limit: 1000, from: reading,
        configuration: server.configuration, now: server.now
      ).items.map { "\($0.standing.id.text) \($0.standing.state.rawValue)" }
    }
  }
}

// MARK: Gauges

extension Simulation {
  /// What metrics tell is the sum of what the reference says of every purchase.
  private mutating func compareRollup() throws {
    var told = try server.withBooks { SingleAnswers($0.rollupReport, $0.rollupSums) }
    // The single answers know no rates between other pairs.
    told.sums["unconverted"] = nil
    let families = [
      "purchases ", "proceeds ", "costAtRisk ", "proceedsAtRisk ", "realisedLoss ", "leak ",
      "openCases ",
    ]
    let sums = told.sums.filter { entry in families.contains { entry.key.hasPrefix($0) } }
      .mapValues(\.decimal)
    let expected = reference.rollUp(of: LifeWorld.transactions, now: now)
      .mapValues(\.description)
    for key in Set(sums.keys).union(expected.keys).sorted() where sums[key] != expected[key] {
      fail("rollup of \(key): \(sums[key] ?? "0"), expected \(expected[key] ?? "0")")
    }
    let deadline = reference.nextDeadline(now: now)
    if told.respondBy?.microseconds != deadline {
      fail("respondBy \(told.respondBy as Any), expected \(deadline as Any)")
    }
    let single = try server.withBooks {
      try SingleAnswers(
        $0, LifeWorld.transactions.map { ByteString($0) }, server.configuration, at: server.now)
    }
    for difference in told.gauges.differences(from: single.gauges) { fail("rollup: \(difference)") }
  }

  /// Three ways to one cost: purchase by purchase, over time, and in metrics.
  private mutating func compareWays() throws {
    let overTime = try costsOverTime()
    let metrics = try gauges()
    report(metrics, overTime, "a scrape and /v1/costs")
    let known = overTime.filter { !$0.key.hasSuffix(" unknown") && !$0.key.hasPrefix("unpriced") }
    report(try costsByPurchase(), known, "consumption and /v1/costs")
  }

  private mutating func report(
    _ left: [String: Fraction], _ right: [String: Fraction], _ what: String
  ) {
    for key in Set(left.keys).union(right.keys).sorted() {
      let (one, other) = (left[key] ?? .zero, right[key] ?? .zero)
      if one != other { fail("\(what) of \(key): \(one.decimal) and \(other.decimal)") }
    }
  }

  private func name(_ product: ByteString?) -> String {
    let isNamed = product.map { server.configuration.products[$0] != nil } ?? false
    return isNamed ? product?.string ?? "" : "_other"
  }

  private func costsOverTime() throws -> [String: Fraction] {
    var sums: [String: Fraction] = [:]
    for row in try server.costs() {
      let meter = row.meter?.string ?? ""
      if let currency = row.currency?.string {
        let key = "\(meter) \(name(row.product)) \(currency) \(row.environment.string)"
        sums[key, default: .zero] = (sums[key] ?? .zero) + (row.amount ?? .zero)
      } else {
        let key = "unpriced \(meter)"
        sums[key] = (sums[key] ?? .zero) + (row.quantity ?? .zero)
      }
    }
    return sums.filter { !$0.value.isZero }
  }

  private func gauges() throws -> [String: Fraction] {
    let snapshot = try server.metrics()
    var sums: [String: Fraction] = [:]
    for (labels, amount) in snapshot.cost {
      let place = "\(labels.currency.string) \(labels.environment.string)"
      sums["\(labels.meter.string) \(labels.product.string) \(place)"] = amount
    }
    for (labels, quantity) in snapshot.unpriced {
      let key = "unpriced \(labels.meter.string)"
      sums[key] = (sums[key] ?? .zero) + quantity
    }
    return sums.filter { !$0.value.isZero }
  }

  private func costsByPurchase() throws -> [String: Fraction] {
    var sums: [String: Fraction] = [:]
    try server.ask { reading in
      for id in LifeWorld.transactions {
        let answer = try ConsumptionAnswer(
          transaction: ByteString(id), from: reading, configuration: server.configuration,
          now: server.now)
        guard let answer, let purchase = answer.purchase else { continue }
        let environment = purchase.environment?.string ?? "unknown"
        for line in answer.cost.lines {
          let place = "\(line.cost.currency.string) \(environment)"
          let key = "\(line.meter.string) \(name(purchase.productId)) \(place)"
          sums[key] = (sums[key] ?? .zero) + line.cost.amount
        }
      }
    }
    return sums.filter { !$0.value.isZero }
  }
}
