import Metering
import Wire

/// Who waits for a part of a batch, in the order of the batch.
enum BatchOrigin {
  /// Lines of a stream: how many, and the number of each event's line.
  case stream(StreamHandle, StreamProgress, lines: UInt64, events: EventLines)
  /// The end of a stream: it is closed after its last acknowledgement.
  case streamEnd(StreamHandle)
  /// Events of a request, perhaps the last of it.
  case request(EventsRequest, events: Int, isLast: Bool)
  /// A command.
  case command(HTTPReply)
}

/// The numbers of a stream's lines that are events: mostly all from some line on.
struct EventLines {
  private let start: UInt64
  private(set) var count = 0
  /// The numbers one by one, from the first gap on.
  private var numbers: [UInt64] = []

  /// None yet, behind a line.
  init(after line: UInt64) { start = line + 1 }

  /// Adds a line behind those before.
  mutating func append(_ line: UInt64) {
    if numbers.isEmpty {
      if line == start &+ UInt64(count) {
        count &+= 1
        return
      }
      numbers = (0..<UInt64(count)).map { start + $0 }
    }
    numbers.append(line)
    count += 1
  }

  subscript(index: Int) -> UInt64 {
    numbers.isEmpty ? start + UInt64(index) : numbers[index]
  }
}

/// A stream's counts; `linesRead` is the loop's, the rest the writer's.
final class StreamProgress: @unchecked Sendable {
  // Unchecked: see above; the two threads touch different fields.
  var linesRead: UInt64 = 0
  var counts = StreamLine.Counts()
  var isBroken = false
}

/// Decoded events and commands on their way to the writer, with those who wait for them.
final class FilledBatch: @unchecked Sendable {
  // Unchecked: one thread owns it at a time; the mailbox hands it over.
  let batch = IngestBatch()
  var steps: [BatchStep] = []
  var origins: [BatchOrigin] = []

  var isEmpty: Bool { origins.isEmpty }

  /// Whether no more should be read into it.
  var isFull: Bool {
    batch.events.count >= Metering.Limits.batchEvents
      || batch.textCount >= IngestLimits.batchTextBytes
      || steps.count >= Metering.Limits.batchEvents
  }

  func addEvents(_ count: Int) {
    guard count > 0 else { return }
    if case .events(let before)? = steps.last {
      steps[steps.count - 1] = .events(before + count)
    } else {
      steps.append(.events(count))
    }
  }

  /// Empties it; what a large body made grow is given back.
  func removeAll() {
    let isUsual =
      batch.textCount <= 2 * IngestLimits.batchTextBytes
      && batch.events.count <= 2 * Metering.Limits.batchEvents
    batch.removeAll(keepingCapacity: isUsual)
    let isFew = max(steps.count, origins.count) <= Metering.Limits.batchEvents
    steps.removeAll(keepingCapacity: isFew)
    origins.removeAll(keepingCapacity: isFew)
  }
}
