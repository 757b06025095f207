import Metering
import Wire

/// Turns a commit's result into replies and acknowledgements, in the order of the batch.
struct BatchAnswers {
  private let filled: FilledBatch
  private let result: CommitResult?
  private var event = 0
  private var command = 0
  private var replies: [(reply: HTTPReply, response: HTTPResponse)] = []
  private var outputs: [(stream: StreamHandle, bytes: [UInt8])] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var progresses: [StreamProgress] = []
  private var stops: [StopList] = []
  private var closing: [StreamHandle] = []

  /// Why the store took nothing, where the sender should know.
  private let reason: String?

  init(_ filled: FilledBatch, _ result: CommitResult?, _ reason: String? = nil) {
    self.filled = filled
    self.result = result
    self.reason = reason
  }

  private var refusal: HTTPResponse { Problem.storeUnavailable(because: reason).response }

  /// Answers everybody; without a result the store took nothing.
  mutating func send() {
    for origin in filled.origins {
      switch origin {
      case .stream(let stream, let progress, let lines, let events):
        answer(stream, progress, lines: lines, events)
      case .streamEnd(let stream): closing.append(stream)
      case .request(let request, let count, let isLast):
        answer(request, events: count, isLast: isLast)
      case .command(let reply):
        let outcome = result?.outcomes[command]
        command += 1
        replies.append((reply, outcome.map { CommandAnswer.response(to: $0) } ?? refusal))
      }
    }
    for place in outputs.indices where !progresses[place].isBroken {
      StreamLine.appendAck(
        progresses[place].counts, stopServing: stops[place].purchases, to: &outputs[place].bytes)
    }
    if !replies.isEmpty { HTTPReply.send(replies) }
    if !outputs.isEmpty { StreamHandle.write(outputs) }
    for stream in closing { stream.close() }
  }

  private mutating func answer(
    _ stream: StreamHandle, _ progress: StreamProgress, lines: UInt64, _ events: EventLines
  ) {
    let first = event
    event += events.count
    guard !progress.isBroken else { return }
    let place: Int
    if let known = places[ObjectIdentifier(stream)] {
      place = known
    } else {
      place = outputs.count
      places[ObjectIdentifier(stream)] = place
      outputs.append((stream, []))
      progresses.append(progress)
      stops.append(StopList())
    }
    guard let result else {
      progress.isBroken = true
      StreamLine.appendUnavailable(because: reason, to: &outputs[place].bytes)
      closing.append(stream)
      return
    }
    var counts = progress.counts
    counts.lines += lines
    for index in 0..<events.count {
      let verdict = result.verdicts[first + index]
      switch verdict {
      case .accepted: counts.accepted += 1
      case .duplicate: counts.duplicates += 1
      case .conflict: counts.conflicts += 1
      case .rejected: counts.rejected += 1
      }
      if let fault = verdict.fault {
        StreamLine.appendFault(
          line: events[index], fault, detail: detail(verdict, first + index),
          to: &outputs[place].bytes)
      }
    }
    progress.counts = counts
    guard !result.stopServing.isEmpty else { return }
    for number in first..<first + events.count {
      for revoked in result.stopServing[number] ?? [] {
        stops[place].add(StopServing(revoked))
      }
    }
  }

  private mutating func answer(_ request: EventsRequest, events count: Int, isLast: Bool) {
    defer { event += count }
    guard let result else {
      if request.breakOff() {
        replies.append((request.reply, Problem.eventsUnavailable(because: reason).response))
      }
      return
    }
    guard !request.isBroken else { return }
    for index in event..<event + count {
      let verdict = result.verdicts[index]
      request.answer.count(verdict)
      if let fault = verdict.fault {
        let id = filled.batch.events[index].id
        request.answer.add(
          EventsAnswer.Result(
            index: request.answer.events - 1, id: id.isEmpty ? nil : filled.batch.bytes(id),
            fault: fault, detail: detail(verdict, index)))
      }
      for revoked in result.stopServing[index] ?? [] {
        request.answer.add(StopServing(revoked))
      }
    }
    if isLast { replies.append((request.reply, request.answer.response)) }
  }

  private func detail(_ verdict: Verdict, _ number: Int) -> String {
    let span = filled.batch.events[number].detail
    if !span.isEmpty { return filled.batch.bytes(span).string }
    switch verdict {
    case .conflict: return "the same source and id came before with other content"
    case .rejected(let code): return code.sentence
    default: return ""
    }
  }
}

extension Verdict {
  /// Why the event was not taken; nil when it was.
  var fault: EventFault? {
    switch self {
    case .accepted, .duplicate: nil
    case .conflict: .conflict
    case .rejected(let code): .rejected(code)
    }
  }
}

extension StopServing {
  init(_ revoked: RevokedPurchase) {
    self.init(transactionId: revoked.transactionId, customer: revoked.customer)
  }
}
