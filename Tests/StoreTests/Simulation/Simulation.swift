import Metering
import Store

/// The whole, step by step from one seed: backends that report usage, Apple and its notifications,
/// two responders, people who reload and back up, time that passes and clocks that jump, on a
/// machine that fails in every way it can. All of it is told to the product and to the reference.
struct Simulation {
  /// What can be done in one step, and how often it is.
  enum Step: CaseIterable {
    case send, happen, deliver, tellFact, putPayload, request, respond
    case flush, merge, rollUp, restart, reload, pass, jump, backUp, compare, compareAll

    var usualWeight: Int {
      switch self {
      case .send: 24
      case .happen, .deliver: 14
      case .respond: 16
      case .tellFact, .pass: 6
      case .putPayload, .request, .flush, .rollUp, .restart, .reload, .compare: 4
      case .merge: 2
      case .jump, .backUp, .compareAll: 1
      }
    }

    /// Without these nothing happens at all.
    var isNeeded: Bool { [.send, .happen, .deliver, .pass].contains(self) }
  }

  var server: SimulatedServer
  var reference: Reference
  /// What the step at hand draws from; each has its own, so that others can be left out.
  var seed: Seed
  private let number: UInt64
  /// Steps that are left out.
  private let skipped: Set<Int>
  let defect: SimulationDefect?
  var store: AppStoreLives
  /// How often each step comes in this run: some runs know nothing of some steps.
  private let weights: [Step: Int]
  /// How many of a hundred calls meet a failing machine.
  let troubles: Int

  /// Sent by Apple and not delivered yet, and what was delivered.
  var outbox: [ReferenceNotification] = []
  var delivered: [(told: ReferenceNotification, at: Int64)] = []
  var sent: [ReferenceEvent] = []
  /// Events kept until their meter comes back, with the instant of their receipt.
  var kept: [(event: ReferenceEvent, receivedAt: Int64)] = []
  /// Steps for which the meter stays out; nil while it is in.
  var stepsOut: Int?
  var claims: [String: (responder: Int, until: Int64)] = [:]
  var responders = [SimulatedResponder(number: 0), SimulatedResponder(number: 1)]
  var appStore = SimulatedAppStore()
  var times: Set<Int64> = []
  var serial = 0
  /// Quantities in raw base units, by meter, unit and text: sums are looked at often.
  var rawQuantities: [String: Int128] = [:]
  /// The dedupe floor as last told.
  var floor: Int64 = .min

  private(set) var faults: [String] = []
  private(set) var steps = 0
  /// What was done, for people who look for the cause of a fault.
  private(set) var story: [String] = []

  init(
    seed number: UInt64, defect: SimulationDefect? = nil, skipping skipped: Set<Int> = []
  ) throws {
    self.number = number
    seed = Seed(number)
    self.defect = defect
    self.skipped = skipped
    var weights: [Step: Int] = [:]
    for step in Step.allCases {
      let times = seed.pick([0, 1, 1, 1, 2, 4])
      weights[step] = step.usualWeight * (step.isNeeded ? max(1, times) : times)
    }
    self.weights = weights
    troubles = seed.pick([0, 5, 20])
    let configuration = SimulationWorld.configuration
    reference = Reference(configuration)
    server = try SimulatedServer(
      try BooksSubject.load(configuration), clock: SimulatedClock(truth: LifeWorld.start),
      memtableEvents: seed.pick(SimulationWorld.memtables), machine: try SimulatedMachine(),
      defect: defect)
    store = AppStoreLives(now: LifeWorld.start / 1000)
  }

  /// The server's clock.
  var now: Int64 { server.clock.now }

  /// Goes on for `count` steps, then compares everything; stops at the first fault.
  mutating func run(steps count: Int) throws {
    do {
      for _ in 0..<count where faults.isEmpty {
        steps += 1
        seed = Seed(number &* 1_000_003 &+ UInt64(steps))
        if skipped.contains(steps) { continue }
        try go(nextStep())
        if faults.isEmpty { try checkStep() }
      }
      if faults.isEmpty, stepsOut != nil { try bringMeterBack() }
      if faults.isEmpty { try compareAll() }
    } catch {
      fail("\(error)")
    }
  }

  private mutating func nextStep() -> Step {
    var drawn = seed.below(weights.values.reduce(0, +))
    for step in Step.allCases {
      drawn -= weights[step] ?? 0
      if drawn < 0 { return step }
    }
    return .send
  }

  private mutating func go(_ step: Step) throws {
    if let left = stepsOut {
      stepsOut = left - 1
      if left == 0 { return try bringMeterBack() }
    }
    switch step {
    case .send: try sendBatch()
    case .happen: happen()
    case .deliver: try deliver()
    case .tellFact: try tellFact()
    case .putPayload: try putPayload()
    case .request: try request()
    case .respond: try respond()
    case .flush, .merge, .rollUp: try maintain(step)
    case .restart: try restart()
    case .reload: try reload()
    case .pass: try pass()
    case .jump: jump()
    case .backUp: try backUp()
    case .compare: try compare(seed.pick(LifeWorld.transactions))
    case .compareAll: try compareAll()
    }
  }

  mutating func fail(_ text: String) { faults.append("step \(steps): \(text)") }

  mutating func tell(_ text: String) { story.append("\(steps) \(text)") }
}

// MARK: Time

extension Simulation {
  private mutating func pass() throws {
    // A call takes no longer than a claim holds: who is about to answer has done so, or died.
    for number in responders.indices { try finish(number) }
    let minutes = seed.pick([1, 4, 30, 400, 800, 1440, 5 * 1440, 15 * 1440, 31 * 1440])
    server.clock.truth += Int64(minutes) * Calendar.minute + Int64(seed.below(1000))
    store.now = server.clock.truth / 1000
    tell("now \(Calendar.text(now))")
  }

  /// The wall clock is set, well or badly.
  private mutating func jump() {
    let minutes = seed.pick([0, 0, 0, 3, 60, 600, 5 * 1440, -1, -10, -600])
    let skew = Int64(minutes) * Calendar.minute
    guard SimulationWorld.clocksGoBack || skew >= server.clock.skew else { return }
    if skew > server.clock.skew {
      // Claims may be over before those who made them are done.
      for responder in responders { appStore.doubt(responder.caseInHand) }
    }
    server.clock.skew = skew
    tell("the clock jumps to \(Calendar.text(now))")
  }
}
