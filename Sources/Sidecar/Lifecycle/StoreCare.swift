import Dispatch
import Store

/// What the background does for the store beside its work: notes how far the journal is synced, and
/// makes a damaged ledger anew.
final class StoreCare: @unchecked Sendable {
  // Unchecked: after `start()` only the background queue touches it.
  private let books: Books
  private let queue: DispatchQueue
  private let timer: any DispatchSourceTimer
  private var isFailing = false
  /// Looks to be left out after a rebuild that failed.
  private var pause = 0

  init(_ books: Books, on queue: DispatchQueue) {
    self.books = books
    self.queue = queue
    timer = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Tells the operator what opening the store found.
  static func tell(_ report: OpeningReport) {
    if let (name, damage) = report.setAside {
      Log.write("\(damage): the ledger was made anew from the journal; the old one is \(name)")
    }
    if let torn = report.journal.tornAt {
      Log.write(
        "\(torn.file): offset \(torn.offset): \(report.journal.droppedFrames) whole frames and "
          + "what follows were dropped: a commit that was cut short before it was acknowledged")
    }
  }

  /// Begins.
  func start() {
    let interval = DispatchTimeInterval.milliseconds(Self.tickMilliseconds)
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: interval)
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.activate()
  }

  /// Ends; waits for what is under way.
  func stop() {
    timer.cancel()
    queue.sync {}
  }

  private func tick() {
    do {
      try books.seal()
      isFailing = false
    } catch {
      if !isFailing { Log.write("the journal's end couldn't be noted: \(error)") }
      isFailing = true
    }
    pause -= 1
    if pause < 0, let damage = books.damage { heal(damage) }
  }

  private func heal(_ damage: String) {
    Log.write("\(damage): the ledger is being made anew from the journal")
    do {
      let aside = try books.rebuildLedger()
      Log.write("the ledger was made anew from the journal; the old one is \(aside)")
    } catch {
      Log.write("the ledger can't be made anew: \(error)")
      pause = Self.ticksOfAPause
    }
  }

  /// How long a commit may be without its note that it was synced.
  private static let tickMilliseconds = 250
  /// Between two tries to make a ledger: each may take as long as the journal is.
  private static let ticksOfAPause = 240
}
