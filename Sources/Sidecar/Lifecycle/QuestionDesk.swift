import Dispatch
import Foundation
import Wire

/// Lets questions be answered one after another on the reader's queue. Any thread.
final class QuestionDesk: @unchecked Sendable {
  // Unchecked: everything mutable is guarded by `lock`.
  private struct Asked {
    var reply: HTTPReply
    var answer: @Sendable () -> HTTPResponse?
  }

  private let queue: DispatchQueue
  private let lock = NSLock()
  private var line = QuestionLine<Asked>()
  private var isClosed = false

  /// Answers on `queue`.
  init(queue: DispatchQueue) { self.queue = queue }

  /// Has a question answered when its turn comes; too many waiting ones are told to come again. No
  /// answer means that it was handed on.
  func ask(isShort: Bool, for reply: HTTPReply, _ answer: @escaping @Sendable () -> HTTPResponse?) {
    let refusal: Problem? = lock.withLock {
      if isClosed { return .ending }
      guard line.count < RouteLimits.waitingQuestions else { return .busy }
      line.enter(Asked(reply: reply, answer: answer), isShort: isShort)
      return nil
    }
    if let refusal { return reply.send(refusal.response) }
    queue.async { [self] in
      // As many turns as questions; which question's turn it is shows now.
      guard let asked = lock.withLock({ line.next() }) else { return }
      // Who has gone takes nobody's turn.
      guard asked.reply.isAwaited else { return asked.reply.send(Problem.busy.response) }
      if let response = asked.answer() { asked.reply.send(response) }
    }
  }

  /// Tells everybody who waits that the program ends, and from now on at once.
  func close() {
    let waiting = lock.withLock {
      isClosed = true
      var all: [HTTPReply] = []
      while let asked = line.next() { all.append(asked.reply) }
      return all
    }
    HTTPReply.send(waiting.map { (reply: $0, response: Problem.ending.response) })
  }
}

extension RouteLimits {
  /// Questions that may wait for the reader. A connection has one at a time, so that the listeners'
  /// places bound them already.
  static let waitingQuestions = Wire.Limits.connections + Wire.Limits.scrapeConnections
}
