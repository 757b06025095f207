package import Metering
package import Wire

/// What became of one `POST /v1/events`.
package struct EventsAnswer: Sendable {
  /// An event that is neither accepted nor a duplicate.
  package struct Result: Sendable {
    /// Place in the request, from 0.
    package var index: Int
    /// The event's id; nil when it has none.
    package var id: ByteString?
    package var fault: EventFault
    /// A sentence for people.
    package var detail: String

    package init(index: Int, id: ByteString?, fault: EventFault, detail: String) {
      self.index = index
      self.id = id
      self.fault = fault
      self.detail = detail
    }
  }

  package private(set) var accepted = 0
  package private(set) var duplicates = 0
  package private(set) var conflicts = 0
  package private(set) var rejected = 0
  /// In input order, written as far as there is room.
  private var results = BoundedList()
  private var stops = StopList()

  /// An answer about no event.
  package init() {}

  /// Events counted so far.
  package var events: Int { accepted + duplicates + conflicts + rejected }

  /// Counts the next event.
  package mutating func count(_ verdict: Verdict) {
    switch verdict {
    case .accepted: accepted += 1
    case .duplicate: duplicates += 1
    case .conflict: conflicts += 1
    case .rejected: rejected += 1
    }
  }

  /// Adds what is neither accepted nor a duplicate, in input order.
  package mutating func add(_ result: Result) {
    results.add { writer in result.write(to: &writer) }
  }

  /// Adds a revoked purchase that the request named or was booked to, unless it is there.
  package mutating func add(_ purchase: StopServing) { stops.add(purchase) }

  /// 200 when every event is accepted or a duplicate, else 422 with the same figures.
  package var response: HTTPResponse {
    let isGood = conflicts == 0 && rejected == 0
    var writer = JSONWriter()
    writer.beginObject()
    if !isGood {
      writer.member("type", "about:blank")
      writer.member("title", "Unprocessable Content")
      writer.member("status", 422)
      writer.member("code", "events_rejected")
      writer.member("detail", "Some events were not taken; the others are stored.")
    }
    writer.member("accepted", accepted)
    writer.member("duplicates", duplicates)
    writer.member("conflicts", conflicts)
    writer.member("rejected", rejected)
    results.write("results", to: &writer)
    if !stops.purchases.isEmpty {
      writer.key("stopServing")
      writer.beginArray()
      for purchase in stops.purchases { purchase.write(to: &writer) }
      writer.endArray()
      if stops.omitted > 0 { writer.member("stopServingOmitted", stops.omitted) }
    }
    writer.endObject()
    writer.bytes.append(UInt8(ascii: "\n"))
    return HTTPResponse(
      status: isGood ? 200 : 422,
      headers: [("Content-Type", isGood ? "application/json" : "application/problem+json")],
      body: writer.bytes)
  }
}

extension EventsAnswer.Result {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("index", index)
    writer.key("id")
    if let id { writer.string(id) } else { writer.null() }
    writer.member("verdict", fault.verdict)
    writer.member("code", fault.code)
    writer.member("detail", detail)
    writer.endObject()
  }
}

/// Why an event was not taken.
package enum EventFault: Equatable, Sendable {
  /// The same source and id came before with other content; the first stands.
  case conflict
  /// Not counted; its id stays free.
  case rejected(RejectionCode)

  /// The verdict as replies spell it.
  package var verdict: String {
    switch self {
    case .conflict: "conflict"
    case .rejected: "rejected"
    }
  }

  /// The stable code as replies spell it.
  package var code: String {
    switch self {
    case .conflict: "conflict"
    case .rejected(let code): code.name
    }
  }
}

/// A revoked purchase on which the backend still spends.
package struct StopServing: Hashable, Sendable {
  package var transactionId: ByteString
  /// The purchase's customer; nil when nothing tells.
  package var customer: ByteString?

  package init(transactionId: ByteString, customer: ByteString?) {
    self.transactionId = transactionId
    self.customer = customer
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("transactionId", transactionId)
    writer.member("customer", customer)
    writer.endObject()
  }
}
