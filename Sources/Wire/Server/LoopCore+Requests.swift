extension LoopCore {
  /// Parses requests until the bytes are used up or have to wait.
  func parse(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !connection.isClosing, connection.block == nil {
      guard connection.inFlight < options.requestsInFlight else {
        connection.block = .requestsInFlight
        break
      }
      guard connection.unread < options.outputBytes else {
        connection.block = .unread
        break
      }
      let (action, consumed) = connection.parser.consume(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
      switch action {
      case .needsMore: return
      case .head(let head): admit(connection, head)
      case .needsAllowance: extendAllowance(connection)
      case .request(let head, let body): hand(connection, head, body)
      case .refuse(let refusal): refuse(connection, refusal)
      }
    }
    if !connection.isClosing, !rest.isEmpty { connection.held = Array(rest) }
  }

  /// Parses on where a block has ended.
  func resumeHeld() {
    while !resumable.isEmpty {
      let ids = resumable
      resumable = []
      for id in ids {
        guard let connection = connection(id), connection.block == nil else { continue }
        if connection.isStream {
          resumeStream(connection)
          finishTurn(of: connection)
          continue
        }
        if let head = connection.awaitedHead, connection.reserved == 0 { admit(connection, head) }
        if connection.block == nil {
          let bytes = connection.held
          connection.held = []
          bytes.withUnsafeBytes { parse(connection, $0) }
        }
        finishTurn(of: connection)
      }
    }
    // Streams that weren't read only because too many lines waited.
    if !isIngestPaused, !parked.isEmpty, streamHeld < Limits.streamHeldBytes { resumeIngest() }
  }

  /// Lets held bytes be parsed on.
  func unblock(_ connection: Connection) {
    connection.block = nil
    resumable.append(connection.id)
  }

  // MARK: Bodies

  /// Lets a body in when the service wants it and the pool has room for it.
  private func admit(_ connection: Connection, _ head: HTTPRequestHead) {
    let limit = min(options.bodyBytes, connection.http.bodyLimit(of: head))
    guard head.contentLength ?? 0 <= limit else {
      connection.awaitedHead = nil
      return refuse(connection, .bodyTooLarge(limit))
    }
    connection.parser.bodyLimit = limit
    connection.awaitedHead = head
    guard connection.http.shouldReadBody(of: head) else {
      connection.block = .ingest
      park(connection)
      return
    }
    // A chunked body begins small; when it outgrows that it asks for the whole of a large one.
    let bytes = head.contentLength ?? min(Limits.smallBodyBytes, limit)
    guard reserve(connection, bytes, small: BodyPool.isSmall(bytes)) else { return }
    beginBody(connection, head)
  }

  private func beginBody(_ connection: Connection, _ head: HTTPRequestHead) {
    connection.parser.bodyAllowance = connection.reserved
    connection.bodyBegan = now
    if !BodyPool.isSmall(connection.reserved) {
      connection.parser.reserveBody(connection.reserved)
    }
    guard head.expectsContinue, connection.parser.body.isEmpty else { return }
    connection.owesContinue = true
    sendContinue(connection)
  }

  /// An interim answer must not overtake those of earlier requests.
  func sendContinue(_ connection: Connection) {
    guard connection.owesContinue, connection.inFlight == 0 else { return }
    connection.owesContinue = false
    connection.output.append(HTTPResponseEncoder.continueBytes)
    markDirty(connection)
  }

  private func extendAllowance(_ connection: Connection) {
    let missing = connection.parser.bodyLimit - connection.reserved
    guard missing > 0 else {
      // The parser has already refused what exceeds the limit.
      connection.parser.bodyAllowance = .max
      return
    }
    if reserve(connection, missing, small: false), let head = connection.awaitedHead {
      beginBody(connection, head)
    }
  }

  private func reserve(_ connection: Connection, _ bytes: Int, small: Bool) -> Bool {
    // Who comes later waits behind those of his size, or large bodies would starve.
    let isFree = small || !poolQueue.contains { waiting($0)?.small == false }
    if isFree, pool.take(bytes, small: small) {
      connection.reserved += bytes
      return true
    }
    connection.block = .pool(bytes: bytes, small: small)
    poolQueue.append(connection.id)
    nextDeadline = min(nextDeadline, now + Limits.quietNanoseconds)
    return false
  }

  private func waiting(_ id: ConnectionID) -> (bytes: Int, small: Bool)? {
    guard case .pool(let bytes, let small)? = connection(id)?.block else { return nil }
    return (bytes, small)
  }

  /// Refuses bodies that come more slowly than they may while others wait for their room.
  func endSlowBodies() {
    guard !poolQueue.isEmpty else { return }
    nextDeadline = min(nextDeadline, now + Limits.quietNanoseconds)
    let grace = 2 * Limits.quietNanoseconds
    for connection in table {
      guard let connection, connection.reserved > 0, connection.block == nil,
        connection.awaitedHead != nil, !connection.isClosing
      else { continue }
      let seconds = Int((now - connection.bodyBegan - grace) / Limits.quietNanoseconds)
      let expected = min(connection.reserved, seconds * options.timeouts.bodyBytesPerSecond)
      guard connection.parser.body.count < expected else { continue }
      figures.count(.timeout)
      refuse(connection, .timeout)
      finishTurn(of: connection)
    }
    flushDirty()
  }

  /// Gives body bytes back and lets in who waits: small ones as they fit, large ones in turn.
  func release(_ bytes: Int) {
    guard bytes > 0 else { return }
    pool.give(bytes)
    guard !poolQueue.isEmpty else { return }
    var rest: [ConnectionID] = []
    var largeWaits = false
    for id in poolQueue {
      guard let want = waiting(id), let connection = connection(id) else { continue }
      if (want.small || !largeWaits) && pool.take(want.bytes, small: want.small) {
        connection.reserved += want.bytes
        unblock(connection)
        if let head = connection.awaitedHead { beginBody(connection, head) }
      } else {
        largeWaits = largeWaits || !want.small
        rest.append(id)
      }
    }
    poolQueue = rest
  }

  // MARK: Answers

  private func hand(_ connection: Connection, _ head: HTTPRequestHead, _ body: [UInt8]) {
    guard let loop else { return }
    let ticket = ReplyTicket(
      connection: connection.id, sequence: connection.nextRequest, reserved: connection.reserved)
    connection.reserved = 0
    connection.awaitedHead = nil
    connection.owesContinue = false
    connection.hasSpoken = true
    connection.servedTurn = turn
    if head.isQuestion {
      connection.question = connection.nextRequest
      connection.block = .question
    }
    connection.nextRequest += 1
    connection.replies.append(
      Connection.PendingReply(
        manner: HTTPResponseEncoder.Manner(
          omitsBody: head.method == "HEAD", closes: !head.keepAlive,
          announcesKeepAlive: head.keepAlive && !head.isVersion11)))
    if !head.keepAlive { connection.isClosing = true }
    connection.http.handle(
      HTTPRequest(head: head, body: body, connection: connection.id),
      HTTPReply(loop: loop, ticket: ticket, presence: connection.presence))
  }

  func refuse(_ connection: Connection, _ refusal: HTTPRefusal) {
    connection.isClosing = true
    connection.nextRequest += 1
    let response = refusal.response
    connection.heldAnswers += response.body.count
    connection.replies.append(
      Connection.PendingReply(
        manner: HTTPResponseEncoder.Manner(closes: true), response: response))
    // What came of a body doesn't matter any more, while its peer may go on sending for a while.
    connection.parser.dropBody()
    release(connection.reserved)
    connection.reserved = 0
    sendAnswers(connection)
  }

  func respond(_ ticket: ReplyTicket, _ response: HTTPResponse) {
    release(ticket.reserved)
    guard let connection = connection(ticket.connection),
      connection.note(response, for: ticket.sequence)
    else { return }
    sendAnswers(connection)
    countOutput(connection)
    switch connection.block {
    case .requestsInFlight where connection.inFlight < options.requestsInFlight:
      unblock(connection)
    case .question where connection.question == nil:
      unblock(connection)
    default: break
    }
  }

  /// Encodes the answers that are due, in the order of their requests.
  private func sendAnswers(_ connection: Connection) {
    let time = date.bytes(at: System.wallSeconds())
    while let (response, given) = connection.takeAnswer() {
      var manner = given
      manner.closes = manner.closes || (isLastAnswer(connection) && stopDeadline != nil)
      connection.output.edit { output in
        HTTPResponseEncoder.append(response, manner: manner, date: time, to: &output)
      }
      markDirty(connection)
    }
    sendContinue(connection)
    closeIfDone(connection)
  }

  func isLastAnswer(_ connection: Connection) -> Bool {
    connection.inFlight == 0
      && (connection.isClosing || (connection.parser.isIdle && connection.held.isEmpty))
  }

  /// Closes an HTTP connection that will not be used any more once its answers are out.
  func closeIfDone(_ connection: Connection) {
    let isStopped = stopDeadline != nil && isLastAnswer(connection)
    guard connection.isClosing || isStopped, connection.inFlight == 0 else { return }
    connection.isClosing = true
    connection.closesWhenFlushed = true
    markDirty(connection)
  }
}
