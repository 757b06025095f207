import Dispatch
import Metering
import Store
import Wire

/// The time that a question may take; looked at as its work goes on. For one thread.
final class QuestionTime {
  /// It is over.
  struct Over: EndedQuestion {}

  private let end: UInt64
  private(set) var isOver = false

  /// Begins now.
  init(nanoseconds: UInt64) { end = SystemClock.monotonic() + nanoseconds }

  /// Throws ``Over`` once the time is over.
  func check() throws {
    guard SystemClock.monotonic() >= end else { return }
    isOver = true
    throw Over()
  }
}

/// Answers questions on two threads, so that nobody's short one waits for somebody's long one: what
/// turns out to be long leaves the quick lane and begins again in the slow one, where it may take
/// its time, but not for ever.
final class QuestionLanes: Sendable {
  /// A thread that reads, with a view of the ledger of its own.
  final class Lane: Sendable {
    let queue: DispatchQueue
    let view: LedgerView
    fileprivate let desk: QuestionDesk

    init(_ name: String, _ view: LedgerView) {
      queue = DispatchQueue(label: name)
      self.view = view
      desk = QuestionDesk(queue: queue)
    }
  }

  /// Answers from a view, within a time.
  typealias Answer = @Sendable (LedgerView, QuestionTime) throws -> HTTPResponse

  private let quick: Lane
  /// Where pages are made, and what takes long.
  let slow: Lane

  /// Lanes whose threads read through these views.
  init(quick: LedgerView, slow: LedgerView) {
    self.quick = Lane("reader", quick)
    self.slow = Lane("slow reader", slow)
  }

  /// Has a question answered when its turn comes; too many waiting ones are told to come again.
  func ask(isShort: Bool, for reply: HTTPReply, _ answer: @escaping Answer) {
    guard isShort else { return askSlowly(isShort: false, for: reply, answer) }
    quick.desk.ask(isShort: true, for: reply) { [self] in
      do {
        return try Self.answer(
          quick.view, QuestionTime(nanoseconds: RouteLimits.quickQuestionNanoseconds), answer)
      } catch is QuestionTime.Over {
        askSlowly(isShort: true, for: reply, answer)
        return nil
      } catch {
        return Self.failure(error)
      }
    }
  }

  private func askSlowly(isShort: Bool, for reply: HTTPReply, _ answer: @escaping Answer) {
    slow.desk.ask(isShort: isShort, for: reply) { [self] in
      do {
        return try Self.answer(
          slow.view, QuestionTime(nanoseconds: RouteLimits.longestQuestionNanoseconds), answer)
      } catch is QuestionTime.Over {
        return Problem.tooSlow.response
      } catch {
        return Self.failure(error)
      }
    }
  }

  /// An answer made of what was read until the time was over says nothing.
  private static func answer(
    _ view: LedgerView, _ time: QuestionTime, _ answer: Answer
  ) throws -> HTTPResponse {
    let response = try answer(view, time)
    if time.isOver { throw QuestionTime.Over() }
    return response
  }

  private static func failure(_ error: any Error) -> HTTPResponse {
    Log.write("a question failed: \(error)")
    return error is UnsettledQuestion
      ? Problem.tooSlow.response : Problem.unreadable(error).response
  }

  /// Tells everybody who waits that the program ends, and from now on at once.
  func close() {
    quick.desk.close()
    slow.desk.close()
  }
}

extension RouteLimits {
  /// How long a question may take before it goes to the slow lane, nanoseconds: many times what
  /// one about a usual purchase takes, and little for those who wait behind it.
  static let quickQuestionNanoseconds: UInt64 = 20_000_000
  /// How long a question may take at most, nanoseconds: one about a purchase with a million single
  /// readings takes less.
  static let longestQuestionNanoseconds: UInt64 = 30_000_000_000
}
