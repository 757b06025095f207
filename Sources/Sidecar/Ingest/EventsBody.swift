import Metering
import Synchronization
import Wire

/// A request's events on their way to the writer: its answer grows with each batch that has some of
/// them, and goes out with the last.
final class EventsRequest: @unchecked Sendable {
  // Unchecked: `answer` is the writer's; the rest never changes or is atomic.
  let reply: HTTPReply
  var answer = EventsAnswer()
  private let broken = Atomic<Bool>(false)

  init(_ reply: HTTPReply) { self.reply = reply }

  /// Whether the store failed with some of the events: it is answered, and the rest isn't needed.
  var isBroken: Bool { broken.load(ordering: .relaxed) }

  /// Notes that the store failed; true the first time.
  func breakOff() -> Bool { !broken.exchange(true, ordering: .relaxed) }
}

/// A body of events that is too long to be taken at once: it is checked and taken in pieces,
/// between other work. Loop thread only.
final class EventsBody {
  /// What a piece came to.
  enum Progress {
    case unfinished
    case finished
    /// Nothing of the body is taken.
    case refused(Problem)
  }

  let request: EventsRequest
  private let bytes: [UInt8]
  private let content: EventsContent
  private var isChecked = false
  private var cursor = EventsCursor()
  /// Of lines: the bytes read, and the events among them.
  private var offset = 0
  private var lines = 0

  init(_ bytes: [UInt8], _ content: EventsContent, for reply: HTTPReply) {
    request = EventsRequest(reply)
    self.bytes = bytes
    self.content = content
  }

  /// Does some more: checks, or decodes into `batch` until that costs as much as `room` has.
  func advance(_ decoder: inout EventDecoder, into batch: IngestBatch, room: Int) -> Progress {
    guard isChecked else { return check(decoder) }
    let end = batch.carefulCost + room
    let isEnough = { (used: Int) in used >= IngestLimits.pieceBytes || batch.carefulCost >= end }
    let isDone =
      switch content {
      case .json:
        bytes.withUnsafeBytes {
          decoder.decodeBody($0, from: &cursor, into: batch, until: isEnough)
        }
      case .ndjson: takeLines(&decoder, into: batch, until: isEnough)
      }
    return isDone ? .finished : .unfinished
  }

  private func check(_ decoder: EventDecoder) -> Progress {
    switch content {
    case .json:
      let result = bytes.withUnsafeBytes { body -> Result<Bool, JSONFault> in
        do throws(JSONFault) {
          return .success(
            try decoder.checkBody(body, from: &cursor, bytes: IngestLimits.checkedBytes))
        } catch {
          return .failure(error)
        }
      }
      switch result {
      case .success(let isDone): isChecked = isDone
      case .failure(let fault): return .refused(Problem(fault))
      }
      if isChecked { cursor = EventsCursor() }
    case .ndjson:
      let start = offset
      isChecked = forEachLine { isBlank, _ in
        if !isBlank { lines += 1 }
        return lines <= Metering.Limits.eventsPerBody && offset - start < IngestLimits.checkedBytes
      }
      guard lines <= Metering.Limits.eventsPerBody else { return .refused(.tooManyEvents) }
      if isChecked { offset = 0 }
    }
    return .unfinished
  }

  private func takeLines(
    _ decoder: inout EventDecoder, into batch: IngestBatch, until isEnough: (Int) -> Bool
  ) -> Bool {
    let start = offset
    return forEachLine { isBlank, line in
      if !isBlank { decoder.decode(line, into: batch) }
      return !isEnough(offset - start)
    }
  }

  /// Calls `body` for the lines from `offset` on, which has moved behind the line, until it returns
  /// false; true at the end.
  private func forEachLine(_ body: (_ isBlank: Bool, UnsafeRawBufferPointer) -> Bool) -> Bool {
    bytes.withUnsafeBytes { all in
      let taken = LineSplit.forEach(UnsafeRawBufferPointer(rebasing: all[offset...])) { line in
        offset += line.count + 1
        return body(LineSplit.isBlank(line), line)
      }
      // A last line may lack its break.
      offset = min(offset, all.count)
      return taken.isWhole
    }
  }
}

extension EventDecoder {
  /// Decodes a line of whatever length.
  mutating func decode(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) {
    if line.count > Wire.Limits.lineBytes {
      batch.appendTooLarge()
    } else {
      decodeLine(line, into: batch)
    }
  }
}
