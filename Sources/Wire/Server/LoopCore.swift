/// The loop thread's state, and its turn.
final class LoopCore {
  private static let wakeTag = UInt64.max
  /// How long accept rests when descriptors have run out.
  static let acceptRest: Int64 = 100_000_000

  weak var loop: EventLoop?
  var idle: () -> Void = {}
  let options: EventLoopOptions
  let poller: Int32
  private let waker: Int32
  let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Limits.readBytes, alignment: 64)
  private let events = System.PollEvents(capacity: Limits.eventsPerTurn)

  var listeners: [Listener] = []
  var table: [Connection?] = []
  var generations: [UInt32] = []
  var freeSlots: [Int] = []
  var open = 0
  /// Counts turns, so that who was served longest ago is served first.
  var turn: UInt64 = 0
  /// The turn in which it was last asked who has gone.
  var goneTurn: UInt64 = .max
  /// When peers that have gone were last looked for at all listeners.
  var goneLook: Int64 = 0
  /// Bytes of streams' lines that wait for their turn.
  var streamHeld = 0
  var figures = LoopFigures()

  var pool: BodyPool
  /// Connections that wait for body bytes, oldest first.
  var poolQueue: [ConnectionID] = []
  /// Connections that wait for `resumeIngest`.
  var parked: [ConnectionID] = []
  var isIngestPaused = false
  /// Connections with output of this turn.
  var dirty: [Connection] = []
  /// Connections whose held bytes can be parsed on.
  var resumable: [ConnectionID] = []

  var now = System.monotonicNanoseconds()
  var nextDeadline = Int64.max
  var date = HTTPDate()
  var stopDeadline: Int64?
  var readyCount = 1
  /// Bytes read in this turn.
  var bytesRead = 0
  /// Whether the last that came was no more than an event or a question.
  private var isLone = false
  private var attention = BriefWait()

  init(_ options: EventLoopOptions) throws(WireError) {
    precondition(
      options.bodyPoolBytes - options.bodyPoolReserveBytes >= options.bodyBytes,
      "the pool can't hold one body")
    self.options = options
    pool = BodyPool(capacity: options.bodyPoolBytes, reserve: options.bodyPoolReserveBytes)
    poller = try System.makePoller()
    do throws(WireError) {
      waker = try System.makeWaker()
    } catch {
      System.close(poller)
      buffer.deallocate()
      events.deallocate()
      throw error
    }
    // Each wake-up is reported by itself, so nobody needs to read them.
    System.changePoll(poller, .add, waker, [.input, .once], tag: Self.wakeTag)
  }

  deinit {
    System.close(waker)
    System.close(poller)
    buffer.deallocate()
    events.deallocate()
  }

  func wake() {
    System.wake(waker)
  }

  /// Turns until stopped and empty.
  func run() {
    while true {
      let count = awaitEvents()
      now = System.monotonicNanoseconds()
      turn &+= 1
      readyCount = max(1, count)
      endGoneNowAndThen()
      for index in 0..<count { dispatch(events[index].tag, events[index].readiness) }
      for message in loop?.takeMessages() ?? [] { apply(message) }
      resumeHeld()
      // Held bytes that `idle` sets free are parsed in the next turn, which then comes at once, so
      // that `idle` always runs after the services were called.
      idle()
      flushDirty()
      if now >= nextDeadline { endOverdue() }
      if let stopDeadline, finishStopping(stopDeadline) { break }
    }
    loop?.closeInbox()
  }

  private func awaitEvents() -> Int {
    var count = 0
    if bytesRead > 0 { isLone = bytesRead <= Limits.loneBytes }
    bytesRead = 0
    attention.wait(isLone: isLone && resumable.isEmpty) {
      count = events.wait(poller, milliseconds: 0)
      return count > 0
    } sleep: {
      count = events.wait(poller, milliseconds: patience())
    }
    return count
  }

  private func patience() -> Int32 {
    if !resumable.isEmpty { return 0 }
    let until = min(nextDeadline, stopDeadline ?? .max)
    guard until != .max else { return -1 }
    let left = max(0, until - System.monotonicNanoseconds())
    return Int32(min(left / 1_000_000 + 1, 60_000))
  }

  private func dispatch(_ tag: UInt64, _ readiness: System.Readiness) {
    if tag == Self.wakeTag {
      // It did what it was for: the turn comes to the messages.
    } else if tag > Self.wakeTag - 1 - UInt64(listeners.count) {
      accept(Int(Self.wakeTag - 1 - tag))
    } else if let connection = connection(ConnectionID(raw: tag)) {
      serve(connection, readiness)
    }
  }

  static func tag(listener: Int) -> UInt64 { wakeTag - 1 - UInt64(listener) }

  /// The connection of that name, if it is still there.
  func connection(_ id: ConnectionID) -> Connection? {
    guard id.slot < table.count, let connection = table[id.slot], connection.id == id else {
      return nil
    }
    return connection
  }

  func apply(_ message: LoopMessage) {
    switch message {
    case .respond(let ticket, let response): respond(ticket, response)
    case .write(let id, let bytes): write(id, bytes)
    case .close(let id): close(id)
    case .pauseReading(let id): setReading(id, paused: true)
    case .resumeReading(let id): setReading(id, paused: false)
    case .pauseIngest: isIngestPaused = true
    case .resumeIngest: resumeIngest()
    case .work(let work): work()
    case .stop(let deadline): beginStopping(deadline)
    }
  }

  // MARK: Deadlines

  /// Sets what the connection is waiting for, and until when.
  func updateDeadline(_ connection: Connection) {
    let waiting: ConnectionDeadline.Waiting
    if !connection.output.isEmpty, connection.isOutputBlocked {
      waiting = .write(sent: connection.output.sent)
    } else {
      waiting = inputWait(connection)
    }
    connection.deadline.await(waiting, now: now, options.timeouts)
    nextDeadline = min(nextDeadline, connection.deadline.instant)
  }

  private func inputWait(_ connection: Connection) -> ConnectionDeadline.Waiting {
    switch connection.speech {
    case .lingering: return .linger
    case .stream:
      // Later it may be quiet for days, even within a line: senders' buffers end anywhere.
      return connection.hasSpoken || connection.isParked ? .nothing : .request(number: 0)
    case .undecided: return .request(number: 0)
    case .http:
      if connection.block != nil || connection.isClosing { return .nothing }
      if connection.parser.isInHead { return .head(number: connection.nextRequest) }
      if connection.parser.isIdle {
        return connection.inFlight > 0 ? .nothing : .request(number: connection.nextRequest)
      }
      let length = connection.awaitedHead?.contentLength ?? options.bodyBytes
      return .body(number: connection.nextRequest, bytes: length)
    }
  }

  private func endOverdue() {
    nextDeadline = .max
    for connection in table {
      guard let connection else { continue }
      if connection.deadline.isOver(now) { endWait(of: connection) }
      if self.connection(connection.id) != nil {
        nextDeadline = min(nextDeadline, connection.deadline.instant)
      }
    }
    restAccepting()
    endSlowBodies()
  }

  private func endWait(of connection: Connection) {
    switch connection.deadline.waiting {
    case .head, .body:
      figures.count(.timeout)
      refuse(connection, .timeout)
      finishTurn(of: connection)
      flushDirty()
    case .write:
      figures.count(.timeout)
      abort(connection)
    case .nothing, .request, .linger: abort(connection)
    }
  }
}
