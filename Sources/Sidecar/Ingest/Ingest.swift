import Foundation
import Metering
import Wire

/// The loop's side of ingest: decodes what arrives into the filling batch and hands it on.
final class Ingest: StreamService, @unchecked Sendable {
  // Unchecked: everything here belongs to the loop thread; the mailbox is shared safely.
  private let mailbox: Mailbox
  private var decoder: EventDecoder
  private var filling = FilledBatch()
  private(set) var isPaused = false
  private unowned let loop: EventLoop

  init(mailbox: Mailbox, decoder: EventDecoder, loop: EventLoop) {
    self.mailbox = mailbox
    self.decoder = decoder
    self.loop = loop
  }

  /// Bytes that wait to be committed.
  var queuedBytes: Int { filling.batch.textCount }

  /// Hands the filling batch to the writer when that is free for it; at the end of each turn and
  /// whenever the writer took one.
  func handOver() {
    if !filling.isEmpty, let next = mailbox.offer(filling) {
      filling = next
    }
    if isPaused && !filling.isFull {
      isPaused = false
      loop.resumeIngest()
    }
  }

  /// Goes on with a batch that the writer hasn't come to, so that the next commit takes all that
  /// came in the meantime.
  private func takeBack() {
    guard filling.isEmpty, let batch = mailbox.takeBack(for: filling) else { return }
    filling = batch
  }

  private func pauseIfFull() {
    guard filling.isFull && !isPaused else { return }
    handOver()
    if filling.isFull {
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

  func receive(_ stream: StreamHandle, _ lines: UnsafeRawBufferPointer) {
    takeBack()
    let progress = progress(stream)
    let first = progress.linesRead
    let batch = filling.batch
    var read: UInt64 = 0
    var events = EventLines(after: first)
    LineSplit.forEach(lines) { line in
      read &+= 1
      if LineSplit.isBlank(line) { return }
      decoder.decodeLine(line, into: batch)
      events.append(first &+ read)
    }
    progress.linesRead = first + read
    filling.addEvents(events.count)
    filling.origins.append(.stream(stream, progress, lines: read, events: events))
    pauseIfFull()
  }

  func tooLong(_ stream: StreamHandle) {
    takeBack()
    let progress = progress(stream)
    var events = EventLines(after: progress.linesRead)
    progress.linesRead += 1
    appendTooLarge()
    filling.addEvents(1)
    events.append(progress.linesRead)
    filling.origins.append(.stream(stream, progress, lines: 1, events: events))
  }

  private func appendTooLarge() {
    var event = DecodedEvent()
    event.kind = .rejected
    event.rejection = .tooLarge
    filling.batch.events.append(event)
  }

  func finished(_ stream: StreamHandle) {
    takeBack()
    filling.origins.append(.streamEnd(stream))
  }

  func aborted(_ stream: StreamHandle) {}

  /// Takes the events of a request. Throws for malformed JSON, with nothing taken.
  func take(_ body: [UInt8], _ content: EventsContent, for reply: HTTPReply) throws(JSONFault) {
    takeBack()
    let before = filling.batch.events.count
    switch content {
    case .json:
      var fault: JSONFault?
      body.withUnsafeBytes { bytes in
        do throws(JSONFault) {
          _ = try decoder.decodeBody(bytes, into: filling.batch)
        } catch { fault = error }
      }
      if let fault { throw fault }
    case .ndjson:
      body.withUnsafeBytes { bytes in
        LineSplit.forEach(bytes) { line in
          if LineSplit.isBlank(line) { return }
          if line.count > Wire.Limits.lineBytes {
            appendTooLarge()
          } else {
            decoder.decodeLine(line, into: filling.batch)
          }
        }
      }
    }
    let count = filling.batch.events.count - before
    filling.addEvents(count)
    filling.origins.append(.request(reply, events: count))
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
  /// Calls `body` with each line without its line break; a last line may lack one.
  static func forEach(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard var start = bytes.baseAddress else { return }
    let end = start + bytes.count
    while start < end {
      let lineEnd = memchr(start, 0x0A, end - start).map { UnsafeRawPointer($0) } ?? end
      body(UnsafeRawBufferPointer(start: start, count: lineEnd - start))
      start = lineEnd + 1
    }
  }

  /// Whether a line holds only white space.
  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    for byte in line where byte != 0x20 && byte != 0x09 && byte != 0x0D { return false }
    return true
  }
}
