/// HTTP/1.1 requests out of bytes, however they are cut. It does no I/O and keeps no clock: it is
/// fed, and says what to do.
package struct HTTPRequestParser: Sendable {
  /// What the bytes came to.
  package enum Action: Equatable, Sendable {
    /// All bytes are used up within a request, or before one.
    case needsMore
    /// A head is complete and a body follows; feed on when the body may be read.
    case head(HTTPRequestHead)
    /// The body has reached `bodyAllowance`; raise it and feed on.
    case needsAllowance
    /// A request is complete.
    case request(HTTPRequestHead, body: [UInt8])
    /// The request can't be taken; nothing after it can either.
    case refuse(HTTPRefusal)
  }

  enum State: Equatable {
    case head
    case fixed(remaining: Int)
    case chunkSize
    case chunkData(remaining: Int)
    case chunkEnd(seenReturn: Bool)
    case trailer
    case refused(HTTPRefusal)
  }

  var state = State.head
  private let largestBody: Int
  /// The most bytes of the body being read; the next one's is that of `init` again.
  package var bodyLimit: Int
  /// The body may grow up to this; chunked bodies ask with `needsAllowance` for more.
  package var bodyAllowance = Int.max
  var pending: [UInt8] = []
  /// Bytes of the line at the end of `pending`.
  var lineBytes = 0
  var trailerBytes = 0
  var head: HTTPRequestHead?
  var body: [UInt8] = []

  /// Makes a parser that refuses bodies above `bodyLimit` bytes.
  package init(bodyLimit: Int = Limits.bodyBytes) {
    self.bodyLimit = bodyLimit
    largestBody = bodyLimit
  }

  /// Forgets the bytes of a body that won't be handed on.
  mutating func dropBody() { body = [] }

  /// Makes room for a body of so many bytes, so that it isn't copied as it grows.
  mutating func reserveBody(_ bytes: Int) { body.reserveCapacity(bytes) }

  /// True between requests.
  package var isIdle: Bool { state == .head && pending.isEmpty }

  /// True while a head is incomplete.
  package var isInHead: Bool { state == .head && !pending.isEmpty }

  /// Bytes of the body that are certainly to come: of the whole, or of the chunk.
  package var expectedBytes: Int {
    switch state {
    case .fixed(let remaining), .chunkData(let remaining): remaining
    default: 0
    }
  }

  /// Uses up bytes until something is to be done, and says how many it used.
  package mutating func consume(
    _ bytes: UnsafeRawBufferPointer
  ) -> (action: Action, consumed: Int) {
    var used = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
      let step: (action: Action?, consumed: Int)
      switch state {
      case .head: step = consumeHead(rest)
      case .fixed(let remaining): step = consumeFixed(rest, remaining)
      case .chunkSize:
        step = consumeLine(rest) { (self, line) throws(HTTPRefusal) in
          try self.beginChunk(line)
        }
      case .chunkData(let remaining): step = consumeChunk(rest, remaining)
      case .chunkEnd(let seenReturn): step = consumeChunkEnd(rest, seenReturn)
      case .trailer:
        step = consumeLine(rest) { (self, line) throws(HTTPRefusal) in
          try self.noteTrailer(line)
        }
      case .refused(let refusal): return (.refuse(refusal), bytes.count)
      }
      used += step.consumed
      if let action = step.action {
        if case .refuse(let refusal) = action { state = .refused(refusal) }
        return (action, used)
      }
    }
  }

  // MARK: Head

  private mutating func consumeHead(
    _ bytes: UnsafeRawBufferPointer
  ) -> (action: Action?, consumed: Int) {
    var start = 0
    var position = 0
    while let feed = ByteSearch.firstNewline(in: bytes, from: position) {
      let length = pending.count + feed - start + 1
      guard length <= Limits.headBytes else { return (.refuse(.headTooLarge), bytes.count) }
      let before = feed > start ? bytes[feed - 1] : pending.last
      guard before == ASCII.carriageReturn else {
        return (.refuse(.badRequest("A line of the head ends without CR.")), bytes.count)
      }
      let line = lineBytes + feed - position
      position = feed + 1
      lineBytes = 0
      guard line == 1 else { continue }
      if length == 2 {
        // RFC 9112 2.2: an empty line before a request line is skipped.
        pending.removeAll(keepingCapacity: true)
        start = position
        continue
      }
      pending += bytes[start..<position]
      return (finishHead(), position)
    }
    pending += bytes[start...]
    lineBytes += bytes.count - position
    if pending.count > Limits.headBytes { return (.refuse(.headTooLarge), bytes.count) }
    return (.needsMore, bytes.count)
  }

  private mutating func finishHead() -> Action {
    let parsed: HTTPRequestHead
    do {
      parsed = try HTTPHeadParser.parse(pending, bodyLimit: largestBody)
    } catch {
      return .refuse(error)
    }
    pending = []
    guard parsed.hasBody else { return .request(parsed, body: []) }
    head = parsed
    if let length = parsed.contentLength {
      state = .fixed(remaining: length)
    } else {
      state = .chunkSize
    }
    return .head(parsed)
  }

  // MARK: Bodies

  private mutating func consumeFixed(
    _ bytes: UnsafeRawBufferPointer, _ remaining: Int
  ) -> (action: Action?, consumed: Int) {
    guard !bytes.isEmpty else { return (.needsMore, 0) }
    if body.isEmpty { body.reserveCapacity(remaining) }
    let count = min(remaining, bytes.count)
    body += bytes[..<count]
    state = .fixed(remaining: remaining - count)
    return (count == remaining ? complete() : .needsMore, count)
  }

  private mutating func consumeChunk(
    _ bytes: UnsafeRawBufferPointer, _ remaining: Int
  ) -> (action: Action?, consumed: Int) {
    guard !bytes.isEmpty else { return (.needsMore, 0) }
    guard body.count < bodyAllowance else { return (.needsAllowance, 0) }
    let count = min(remaining, bytes.count, bodyAllowance - body.count)
    body += bytes[..<count]
    state =
      count == remaining ? .chunkEnd(seenReturn: false) : .chunkData(remaining: remaining - count)
    return (nil, count)
  }

  private mutating func consumeChunkEnd(
    _ bytes: UnsafeRawBufferPointer, _ seenReturn: Bool
  ) -> (action: Action?, consumed: Int) {
    guard let byte = bytes.first else { return (.needsMore, 0) }
    guard byte == (seenReturn ? ASCII.lineFeed : ASCII.carriageReturn) else {
      return (.refuse(.badRequest("A chunk doesn't end where its size says.")), bytes.count)
    }
    state = seenReturn ? .chunkSize : .chunkEnd(seenReturn: true)
    return (nil, 1)
  }

  /// Collects one line that ends in CRLF and hands it on without that.
  private mutating func consumeLine(
    _ bytes: UnsafeRawBufferPointer,
    _ take: (inout HTTPRequestParser, [UInt8]) throws(HTTPRefusal) -> Action?
  ) -> (action: Action?, consumed: Int) {
    let end = ByteSearch.firstNewline(in: bytes).map { $0 + 1 } ?? bytes.count
    pending += bytes[..<end]
    let isChunkLine = state == .chunkSize
    if pending.count > (isChunkLine ? Limits.chunkLineBytes : Limits.headBytes) {
      let refusal =
        isChunkLine ? HTTPRefusal.badRequest("A chunk's size line is too long.") : .headTooLarge
      return (.refuse(refusal), bytes.count)
    }
    guard pending.last == ASCII.lineFeed else { return (.needsMore, end) }
    guard pending.dropLast().last == ASCII.carriageReturn else {
      return (.refuse(.badRequest("A line of the body's framing ends without CR.")), bytes.count)
    }
    let line = Array(pending.dropLast(2))
    pending.removeAll(keepingCapacity: true)
    do throws(HTTPRefusal) {
      return (try take(&self, line), end)
    } catch {
      return (.refuse(error), bytes.count)
    }
  }

  private mutating func beginChunk(_ line: [UInt8]) throws(HTTPRefusal) -> Action? {
    let digits = line.prefix { ASCII.hexValue($0) != nil }
    let rest = line.dropFirst(digits.count)
    guard !digits.isEmpty, digits.count <= 16, rest.first ?? UInt8(ascii: ";") == UInt8(ascii: ";"),
      rest.allSatisfy(ASCII.isFieldValue)
    else { throw .badRequest("A chunk's size is malformed.") }
    let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) ?? UInt64.max
    guard size <= UInt64(bodyLimit - body.count) else { throw .bodyTooLarge(bodyLimit) }
    state = size == 0 ? .trailer : .chunkData(remaining: Int(size))
    return nil
  }

  private mutating func noteTrailer(_ line: [UInt8]) throws(HTTPRefusal) -> Action? {
    guard !line.isEmpty else { return complete() }
    trailerBytes += line.count + 2
    guard trailerBytes <= Limits.headBytes else { throw .headTooLarge }
    _ = try HTTPHeadParser.field(in: line, line: 0..<line.count)
    return nil
  }

  private mutating func complete() -> Action {
    guard let head else { preconditionFailure("a body ended without a head") }
    let whole = body
    self = HTTPRequestParser(bodyLimit: largestBody)
    return .request(head, body: whole)
  }
}
