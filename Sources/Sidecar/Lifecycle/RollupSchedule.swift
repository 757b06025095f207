import Dispatch
import Metering
import Store

/// When the background rolls up: at once when it has the time, a little each second under load, and
/// not at all while a flush waits.
final class RollupSchedule: @unchecked Sendable {
  // Unchecked: after `start()` only the background queue touches it.
  private let books: Books
  private let queue: DispatchQueue
  private let askFlush: @Sendable () -> Void
  private let timer: any DispatchSourceTimer
  private var cases: CaseLog
  private var accepted: UInt64 = 0
  private var isLoaded = false
  private var isGoingOn = false
  private var isFailing = false
  private var ticks = 0
  private var isStopped = false
  /// What was told of cases that a wrong clock counted.
  private var miscounted: [RollupKey: Double] = [:]

  /// `askFlush` has everything written to the ledger soon.
  init(_ books: Books, on queue: DispatchQueue, askFlush: @escaping @Sendable () -> Void) {
    self.books = books
    self.queue = queue
    self.askFlush = askFlush
    cases = CaseLog(books.rollupReport)
    timer = DispatchSource.makeTimerSource(queue: queue)
    for correction in CaseTally.Correction.allCases {
      let key = RollupKey(.miscounted, ByteString(correction.rawValue))
      miscounted[key] = books.rollupReport.values[key] ?? 0
    }
  }

  /// Begins; what changed is told within about a second when there is time.
  func start() {
    for line in CaseLog.standing(books.rollupReport) { Log.write(line) }
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.tickMilliseconds),
      leeway: .milliseconds(Self.tickMilliseconds / 4))
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.activate()
  }

  /// Ends; waits for a slice that is under way, and rolls up the last that changed as far as a stop
  /// can wait for it.
  func stop() {
    timer.cancel()
    queue.sync {
      let end = SystemClock.monotonic() + Self.lastNanoseconds
      while SystemClock.monotonic() < end, !books.needsFlush {
        guard
          case .more? = try? books.rollUp(
            at: SystemClock.now(), isOver: { SystemClock.monotonic() > end })
        else { break }
      }
      isStopped = true
    }
  }

  private func tick() {
    ticks += 1
    if ticks % Self.ticksOfASecond == 0 {
      let now = books.acceptedEvents
      isLoaded = now - accepted > Self.loadedEvents
      accepted = now
      for line in cases.lines(books.rollupReport, now: SystemClock.monotonic()) { Log.write(line) }
    }
    guard !isLoaded || ticks % Self.ticksOfASecond == 0, !isGoingOn else { return }
    slice()
  }

  private func slice() {
    guard !isStopped, !books.needsFlush else { return }
    let start = SystemClock.monotonic()
    do {
      let step = try books.rollUp(at: SystemClock.now()) {
        SystemClock.monotonic() - start > Self.sliceNanoseconds
      }
      isFailing = false
      tellMiscounted()
      switch step {
      case .idle: break
      case .needsFlush: askFlush()
      case .more: goOn(after: SystemClock.monotonic() - start)
      }
    } catch {
      if !isFailing { Log.write("the rollup failed: \(error)") }
      isFailing = true
    }
  }

  /// A counter that counted too much while the clock ran ahead can't be taken back, so it is said.
  private func tellMiscounted() {
    for (key, count) in books.rollupReport.values where key.family == .miscounted {
      if let known = miscounted[key], known < count {
        Log.write(
          "the clock ran ahead: \(Int(count - known)) refund cases were counted as "
            + "\(key.first.string), but weren't")
      }
      miscounted[key] = count
    }
  }

  /// Rests as long as it worked, so that half of a processor is left whatever there is to do.
  private func goOn(after worked: UInt64) {
    guard !isLoaded else { return }
    isGoingOn = true
    let came = books.acceptedEvents
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(worked))) { [weak self] in
      guard let self else { return }
      isGoingOn = false
      // A flood is seen within a slice, not only at the end of a second that it shares.
      isLoaded = isLoaded || books.acceptedEvents - came > Self.loadedEventsOfARest
      if !isLoaded { slice() }
    }
  }

  /// How long a stop may wait for the last figures.
  private static let lastNanoseconds: UInt64 = 500_000_000
  /// Between two looks for changes: figures are then current well within the contract's time.
  private static let tickMilliseconds = 500
  private static let ticksOfASecond = 2
  /// How long a flush may wait for a slice.
  private static let sliceNanoseconds: UInt64 = 20_000_000
  /// Events of a second from which on the processors are left to them but for a slice a second.
  private static let loadedEvents: UInt64 = 20_000
  /// Events that come while a slice rests which say the same: a second's within a twentieth of it.
  private static let loadedEventsOfARest: UInt64 = loadedEvents / 20
}
