package import Metering
package import Wire

/// Which refund cases a page lists, and how long a client waits for it.
package struct CasesQuestion: Equatable, Sendable {
  /// Only cases in this state.
  package var state: RefundCaseState?
  /// Most items of the page.
  package var limit: Int
  /// Where the page before ended.
  package var place: CasePlace?
  /// Seconds that the answer may be held.
  package var waitSeconds: Int
  /// The `cursor` of an answer that the client has: it waits for another one. Without it, it waits
  /// for a case.
  package var known: ByteString?

  package init(
    state: RefundCaseState? = nil, limit: Int = RouteLimits.pageItems, place: CasePlace? = nil,
    waitSeconds: Int = 0, known: ByteString? = nil
  ) {
    self.state = state
    self.limit = limit
    self.place = place
    self.waitSeconds = waitSeconds
    self.known = known
  }

  /// Whether a page is what the client waits for.
  func isMet(by page: CasesPage) -> Bool {
    known.map { $0 != page.mark } ?? !page.isEmpty
  }
}

/// A page of refund cases as it is sent.
package struct CasesPage: Sendable {
  /// The answer; 200.
  package var response: HTTPResponse
  /// What ``CasesQuestion/known`` is compared with.
  package var mark: ByteString
  /// Whether it lists nothing.
  package var isEmpty: Bool
  /// When time alone changes it next; nil when nothing is going to.
  package var nextDeadline: Instant?

  /// Writes the page.
  init(_ answer: CasesAnswer) {
    mark = answer.mark
    isEmpty = answer.items.isEmpty
    nextDeadline = answer.nextDeadline
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("items")
    answer.write(items: &writer)
    writer.key("next")
    if let next = answer.next { writer.string(PageCursor.encode(next)) } else { writer.null() }
    writer.member("cursor", answer.mark)
    writer.endObject()
    response = .json(writer.bytes)
  }
}
