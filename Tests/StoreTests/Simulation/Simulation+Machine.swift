import Metering
import Store

/// What the machine does to the store, and people to the server.
extension Simulation {
  /// What becomes of a call while it is carried out.
  private enum Trouble: CaseIterable {
    case kill, powerLoss, fault, fullDisk

    var end: SimulatedMachine.End? {
      switch self {
      case .kill: .kill
      case .powerLoss: .powerLoss
      case .fault, .fullDisk: nil
      }
    }
  }

  /// Tells the server something; sometimes the machine fails meanwhile, at any write or sync of the
  /// journal or the ledger. Then nobody knows what became of it, and it is told again, to a process
  /// that heals or to a new one.
  mutating func attempt<Answer>(
    _ tell: (SimulatedServer) throws -> Answer
  ) throws -> (answer: Answer, isRepeated: Bool) {
    var isRepeated = false
    for _ in 0..<3 where seed.chance(troubles) {
      let trouble = arm()
      do {
        let answer = try tell(server)
        // It may have gone at something that the answer didn't need.
        if server.machine.power.isOut { try recover(from: trouble) }
        server.machine.heal()
        return (answer, isRepeated)
      } catch  where Self.isOfTheWorld(error) {
        self.tell("\(trouble): \(error)")
        isRepeated = true
        try recover(from: trouble)
      }
    }
    return (try tell(server), isRepeated)
  }

  private mutating func arm() -> Trouble {
    let trouble = seed.pick(Trouble.allCases)
    let operation = server.machine.power.operations + 1 + seed.below(seed.pick([3, 12, 80]))
    switch trouble {
    case .kill, .powerLoss: server.machine.power.lossAt = operation
    case .fault: server.machine.power.faultAt = operation
    case .fullDisk: server.machine.fill(leaving: seed.pick([nil, 0, 30_000]))
    }
    return trouble
  }

  /// Whether the store may throw it when its disk fails.
  private static func isOfTheWorld(_ error: any Error) -> Bool {
    switch error {
    case is SimulatedDisk.PowerLoss, is LedgerError, StoreFault.system, StoreFault.full,
      StoreFault.indeterminate:
      true
    default: false
    }
  }

  private mutating func recover(from trouble: Trouble) throws {
    let isGone = server.machine.power.isOut
    server.machine.heal()
    if let end = trouble.end, isGone { return try startAgain(after: end) }
    if seed.chance(40) { try startAgain(after: seed.pick(SimulatedMachine.End.allCases)) }
  }

  /// Ends the process without a word and starts another, which may end the same way at once.
  private mutating func startAgain(after end: SimulatedMachine.End) throws {
    var end = end
    for _ in 0..<3 {
      server.vanish()
      try server.machine.restart(after: end, seed: &seed)
      guard seed.chance(troubles) else { break }
      end = seed.pick(SimulatedMachine.End.allCases)
      server.machine.power.lossAt =
        server.machine.power.operations + 1 + seed.below(seed.pick([5, 40]))
      do {
        try server.start(memtableEvents: seed.pick(SimulationWorld.memtables))
        if !server.machine.power.isOut {
          server.machine.heal()
          return
        }
      } catch  where Self.isOfTheWorld(error) {
        tell("\(end) at the start: \(error)")
      }
    }
    if server.machine.power.isOut {
      server.vanish()
      try server.machine.restart(after: end, seed: &seed)
    }
    try server.start(memtableEvents: seed.pick(SimulationWorld.memtables))
  }

  mutating func restart() throws {
    let asked = someAnswers()
    let before = try asked.map { try everything($0) }
    let end = SimulatedMachine.End.allCases.randomElement(using: &seed)
    if seed.chance(40) || end == nil {
      tell("orderly restart")
      try server.stop(isOrderly: true)
      try server.start(memtableEvents: seed.pick(SimulationWorld.memtables))
    } else if let end {
      tell("\(end)")
      try startAgain(after: end)
    }
    if let asked, let before { expect(try everything(asked), before, "a restart") }
  }

  /// The transactions that are asked for before and after something that changes no answer; nil for
  /// none at all.
  private mutating func someAnswers() -> [String]? {
    switch seed.below(10) {
    case ..<3: nil
    case 3: LifeWorld.transactions
    default: LifeWorld.transactions.shuffled(using: &seed).prefix(5).sorted()
    }
  }

  mutating func maintain(_ step: Step) throws {
    let asked = seed.chance(20) ? someAnswers() : nil
    let before = try asked.map { try everything($0) }
    tell("\(step)")
    let isWhole = seed.chance(50)
    _ = try attempt { server in
      switch step {
      case .flush: try server.flush()
      case .merge: try server.merge()
      default: isWhole ? try server.rollUp() : try server.rollUpOnce()
      }
    }
    if let asked, let before { expect(try everything(asked), before, "\(step)") }
  }

  /// Copies the store; sometimes goes on with the copy, on another machine.
  mutating func backUp() throws {
    let before = try everything(LifeWorld.transactions)
    let target = SimulatedMachine.unusedPath()
    let journal = SimulatedDisk()
    _ = try Backup.run(
      directory: server.machine.directory, disk: server.machine.disk, target: target,
      onto: { SimulatedStoreDisk(journal, $0) })
    let copy = try SimulatedServer(
      server.configuration, clock: server.clock,
      memtableEvents: seed.pick(SimulationWorld.memtables),
      machine: try SimulatedMachine(restored: journal, from: target), defect: defect)
    expect(try everything(LifeWorld.transactions, of: copy), before, "a copy")
    guard seed.chance(50) else { return copy.vanish() }
    tell("goes on with a copy")
    server.vanish()
    server = copy
  }
}

// MARK: Configurations

extension Simulation {
  mutating func reload() throws {
    switch seed.below(10) {
    case ..<3: LifeWorld.change(&reference.configuration, &seed)
    case ..<8:
      SimulationWorld.changePrices(&reference.configuration, around: now, &seed)
    default:
      if stepsOut == nil {
        stepsOut = 2 + seed.below(8)
        reference.absentMeters = [SimulationWorld.removable]
      }
    }
    try putConfigurationInForce()
  }

  /// The meter comes back, and with it the events that were kept until then.
  mutating func bringMeterBack() throws {
    stepsOut = nil
    reference.absentMeters = []
    try putConfigurationInForce()
    reference.floor = floor
    for (event, receivedAt) in kept {
      _ = reference.take(event, now: now, receivedAt: receivedAt)
    }
    kept = []
  }

  private mutating func putConfigurationInForce() throws {
    let whole = reference.configuration
    let wanted = stepsOut == nil ? whole : SimulationWorld.without(SimulationWorld.removable, whole)
    tell(
      "reload \(wanted.rates.map { "\($0.meter) \($0.label) \($0.from ?? 0)" }) \(stepsOut ?? 0)")
    let loaded = try BooksSubject.load(wanted)
    _ = try attempt { try $0.reload(loaded) }
  }
}
