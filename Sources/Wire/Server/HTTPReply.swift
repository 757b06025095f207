import Synchronization

/// The place for one request's answer. Dropping it unsent answers 500, so that no client waits for
/// ever on our mistake.
package final class HTTPReply: Sendable {
  let loop: EventLoop
  private let ticket: ReplyTicket
  private let presence: Presence
  private let sent = Atomic<Bool>(false)

  init(loop: EventLoop, ticket: ReplyTicket, presence: Presence) {
    self.loop = loop
    self.ticket = ticket
    self.presence = presence
  }

  /// Whether somebody still waits for it: work that takes long isn't begun for who has gone.
  package var isAwaited: Bool { !presence.isOver }

  deinit {
    guard !sent.load(ordering: .relaxed) else { return }
    let response = HTTPResponse.problem(
      status: 500, code: "internal_error", detail: "The request was not answered.")
    loop.deliver([.respond(ticket, response)])
  }

  /// Gives the answer, from any thread, exactly once. A connection that is gone swallows it.
  package func send(_ response: HTTPResponse) {
    loop.deliver([message(response)])
  }

  /// Gives many answers with one wake-up of their loop, which must be the same for all.
  package static func send(_ answers: [(reply: HTTPReply, response: HTTPResponse)]) {
    guard let loop = answers.first?.reply.loop else { return }
    loop.deliver(answers.map { $0.reply.message($0.response) })
  }

  private func message(_ response: HTTPResponse) -> LoopMessage {
    let already = sent.exchange(true, ordering: .relaxed)
    precondition(!already, "a request was answered twice")
    return .respond(ticket, response)
  }
}
