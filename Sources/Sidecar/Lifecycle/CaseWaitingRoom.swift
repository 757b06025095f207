import Metering
import Wire

/// Clients that wait for refund cases, without clocks or threads: it is fed with instants
/// (monotonic nanoseconds) and pages, and says who is answered.
struct CaseWaitingRoom<Client> {
  private struct Waiter {
    var question: CasesQuestion
    var client: Client
    var until: UInt64
  }

  /// In order of arrival.
  private var waiters: [Waiter] = []
  private let capacity: Int

  init(capacity: Int = RouteLimits.waitingClients) { self.capacity = capacity }

  var isEmpty: Bool { waiters.isEmpty }

  /// The first instant at which somebody has waited long enough; nil when nobody waits.
  var nextEnd: UInt64? { waiters.map(\.until).min() }

  /// Lets a client wait. When there are too many, the one that came first is over its time.
  mutating func enter(_ question: CasesQuestion, _ client: Client, now: UInt64) {
    let wait = UInt64(question.waitSeconds) * 1_000_000_000
    waiters.append(Waiter(question: question, client: client, until: now + wait))
    for index in waiters.indices.dropLast(capacity) { waiters[index].until = 0 }
  }

  /// Lets everybody's time be over.
  mutating func end() {
    for index in waiters.indices { waiters[index].until = 0 }
  }

  /// Takes out who is to be answered, with the page: those for whom it is what they wait for, and
  /// those whose time is over. A page that can't be made is nil, and answers everybody who asked
  /// for it.
  mutating func leave(
    now: UInt64, page: (CasesQuestion) -> CasesPage?
  ) -> [(client: Client, page: CasesPage?)] {
    var made: [(question: CasesQuestion, page: CasesPage?)] = []
    var leaving: [(client: Client, page: CasesPage?)] = []
    var staying: [Waiter] = []
    for waiter in waiters {
      // Clients that ask for the same cases share a page.
      var scope = waiter.question
      scope.waitSeconds = 0
      scope.known = nil
      let found: CasesPage?
      if let known = made.first(where: { $0.question == scope }) {
        found = known.page
      } else {
        found = page(scope)
        made.append((scope, found))
      }
      if waiter.until <= now || found.map({ waiter.question.isMet(by: $0) }) ?? true {
        leaving.append((waiter.client, found))
      } else {
        staying.append(waiter)
      }
    }
    waiters = staying
    return leaving
  }
}
