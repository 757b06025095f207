import Foundation
import Metering
import Wire

/// The loop's side of ingest: decodes what arrives into the filling batch and hands it on.
///
/// In one turn it does a bounded amount of work, whatever arrives: lines and bodies that cost more
/// are gone on with in the next turn, when others have had theirs.
final class Ingest: StreamService, @unchecked Sendable {
  // Unchecked: everything here belongs to the loop thread; the mailbox is shared safely.
  private let mailbox: Mailbox
  private var decoder: EventDecoder
  private var filling = FilledBatch()
  private(set) var isPaused = false
  /// What careful decoding may still cost in this turn.
  private var room = IngestLimits.carefulTurnCost
  /// Bodies that are being taken in pieces, the next one first.
  private var bodies: [EventsBody] = []
  private var isAwaitingTurn = false
  private unowned let loop: EventLoop

  init(mailbox: Mailbox, decoder: EventDecoder, loop: EventLoop) {
    self.mailbox = mailbox
    self.decoder = decoder
    self.loop = loop
  }

  /// Bytes that wait to be committed.
  var queuedBytes: Int { filling.batch.textCount }

  /// Hands the filling batch to the writer when that is free for it, and goes on with what was left
  /// off; at the end of each turn and whenever the writer took one.
  func handOver() {
    offer()
    room = IngestLimits.carefulTurnCost
    if !bodies.isEmpty { workOff() }
    if isPaused && !mustPause {
      isPaused = false
      loop.resumeIngest()
    }
  }

  private func offer() {
    if !filling.isEmpty, let next = mailbox.offer(filling) {
      filling = next
    }
  }

  private var mustPause: Bool { filling.isFull || room <= 0 }

  /// Takes a piece of the body whose turn it is.
  private func workOff() {
    guard !filling.isFull else { return }
    takeBack()
    let body = bodies.removeFirst()
    let batch = filling.batch
    let before = batch.events.count
    let cost = batch.carefulCost
    let progress = body.advance(&decoder, into: batch, room: room)
    room -= batch.carefulCost - cost
    switch progress {
    case .refused(let problem): body.request.reply.send(problem.response)
    case .finished, .unfinished:
      var isFinished = false
      if case .finished = progress { isFinished = true }
      let count = batch.events.count - before
      if count > 0 || isFinished {
        filling.addEvents(count)
        filling.origins.append(.request(body.request, events: count, isLast: isFinished))
      }
      if !isFinished, !body.request.isBroken { bodies.append(body) }
    }
    offer()
    // When the batch is full the writer's taking it brings the next turn.
    if !bodies.isEmpty, !filling.isFull { awaitTurn() }
  }

  private func awaitTurn() {
    guard !isAwaitingTurn else { return }
    isAwaitingTurn = true
    loop.execute { [self] in isAwaitingTurn = false }
  }

  /// Goes on with a batch that the writer hasn't come to, so that the next commit takes all that
  /// came in the meantime.
  private func takeBack() {
    guard filling.isEmpty, let batch = mailbox.takeBack(for: filling) else { return }
    filling = batch
  }

  private func pauseIfFull() {
    guard !isPaused else { return }
    if filling.isFull { offer() }
    if mustPause {
      isPaused = true
      loop.pauseIngest()
    }
  }

  func opened(_ stream: StreamHandle) { stream.context = StreamProgress() }

  private func progress(_ stream: StreamHandle) -> StreamProgress {
    guard let progress = stream.context as? StreamProgress else {
      preconditionFailure("a stream is opened first")
    }
    return progress
  }

  func receive(_ stream: StreamHandle, _ lines: UnsafeRawBufferPointer) -> Int {
    guard !isPaused else { return 0 }
    takeBack()
    let progress = progress(stream)
    let first = progress.linesRead
    let batch = filling.batch
    let cost = batch.carefulCost
    var read: UInt64 = 0
    var events = EventLines(after: first)
    let taken = LineSplit.forEach(lines) { line in
      read &+= 1
      if LineSplit.isBlank(line) { return true }
      decoder.decodeLine(line, into: batch)
      events.append(first &+ read)
      return batch.carefulCost &- cost < room
    }
    room -= batch.carefulCost - cost
    progress.linesRead = first + read
    filling.addEvents(events.count)
    filling.origins.append(.stream(stream, progress, lines: read, events: events))
    pauseIfFull()
    return taken.bytes
  }

  func tooLong(_ stream: StreamHandle) {
    takeBack()
    let progress = progress(stream)
    var events = EventLines(after: progress.linesRead)
    progress.linesRead += 1
    filling.batch.appendTooLarge()
    filling.addEvents(1)
    events.append(progress.linesRead)
    filling.origins.append(.stream(stream, progress, lines: 1, events: events))
  }

  func finished(_ stream: StreamHandle) {
    takeBack()
    filling.origins.append(.streamEnd(stream))
  }

  func aborted(_ stream: StreamHandle) {}

  /// Takes the events of a request, or answers why not.
  func take(_ body: [UInt8], _ content: EventsContent, for reply: HTTPReply) {
    guard body.count <= IngestLimits.wholeBodyBytes else {
      bodies.append(EventsBody(body, content, for: reply))
      return awaitTurn()
    }
    takeBack()
    let batch = filling.batch
    let before = batch.events.count
    let cost = batch.carefulCost
    switch content {
    case .json:
      var fault: JSONFault?
      body.withUnsafeBytes { bytes in
        do throws(JSONFault) {
          _ = try decoder.decodeBody(bytes, into: batch)
        } catch { fault = error }
      }
      if let fault { return reply.send(Problem(fault).response) }
    case .ndjson:
      body.withUnsafeBytes { bytes in
        _ = LineSplit.forEach(bytes) { line in
          if !LineSplit.isBlank(line) { decoder.decode(line, into: batch) }
          return true
        }
      }
    }
    room -= batch.carefulCost - cost
    let count = batch.events.count - before
    filling.addEvents(count)
    filling.origins.append(.request(EventsRequest(reply), events: count, isLast: true))
    pauseIfFull()
  }

  /// Takes a command.
  func take(_ command: Command, for reply: HTTPReply) {
    takeBack()
    filling.steps.append(.command(command))
    filling.origins.append(.command(reply))
    pauseIfFull()
  }
}

/// Splits bytes into lines.
enum LineSplit {
  /// Calls `body` with each line without its line break until it returns false; a last line may
  /// lack its break. Returns the bytes of these lines, and whether they are all.
  static func forEach(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> (bytes: Int, isWhole: Bool) {
    guard let first = bytes.baseAddress else { return (0, true) }
    var start = first
    let end = start + bytes.count
    while start < end {
      let lineEnd = memchr(start, 0x0A, end - start).map { UnsafeRawPointer($0) } ?? end
      let goesOn = body(UnsafeRawBufferPointer(start: start, count: lineEnd - start))
      start = lineEnd + 1
      if !goesOn { return (min(start, end) - first, start >= end) }
    }
    return (bytes.count, true)
  }

  /// Whether a line holds only white space.
  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    for byte in line where byte != 0x20 && byte != 0x09 && byte != 0x0D { return false }
    return true
  }
}
