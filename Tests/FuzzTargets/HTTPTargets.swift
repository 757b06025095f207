@testable import Wire

extension FuzzTarget {
  /// Requests: however the bytes are cut, the parser says the same; what it takes can be asked
  /// about.
  static let httpRequests = FuzzTarget(
    name: "http-requests", goal: "body",
    words: httpWords + [
      "GET / HTTP/1.1\r\n", "POST /v1/events HTTP/1.1\r\n", "PUT ", "%2F", "%", "?a=b&c", "*",
      "http://", "Expect: 100-continue\r\n", "Connection: close\r\n",
    ],
    seeds: {
      requestSamples.flatMap { [[3, 1] + Array(text: $0), [255, 255] + Array(text: $0)] }
    }
  ) { input, run in
    var steering = Pieces(input)
    let number = steering.word()
    let bytes = Array(steering.rest)
    let whole = actions([bytes], allowance: .max)
    var pieces = Pieces.cut(bytes, by: number)
    if run.takesTwin { pieces[0] = pieces[0].dropLast() }
    run.agree(actions(pieces, allowance: .max), whole, "requests in pieces and in one")
    let slow = actions(pieces, allowance: 2).filter { $0 != .needsAllowance }
    run.agree(slow, whole, "bodies that wait for room")
    for case .request(let head, let body) in whole {
      if !body.isEmpty { run.reach("body") }
      _ = (head.method, head.path, head.segments, head.query, head.headers("a"))
    }
  }

  /// Answers: however the bytes are cut, the same answers come out.
  static let httpReplies = FuzzTarget(
    name: "http-replies", goal: "chunked",
    words: httpWords + [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.0 ", "204", "304",
      "7fffffffffffffff\r\n", "ffffffffffffffff\r\n",
    ],
    seeds: {
      [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n"
          + "5\r\nhello\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nx",
        "HTTP/1.0 404 Not Found\r\nConnection: close\r\n\r\nuntil the end",
        "HTTP/1.1 409\r\nContent-Length: 99999999999999999999\r\n\r\n",
      ].flatMap { [[3, 0] + Array(text: $0), [255, 255] + Array(text: $0)] }
    }
  ) { input, run in
    var steering = Pieces(input)
    let number = steering.word()
    let bytes = Array(steering.rest)
    let isHead = number & 0x100 != 0
    var pieces = Pieces.cut(bytes, by: number)
    if run.takesTwin { pieces[0] = pieces[0].dropLast() }
    let whole = replies([bytes], isHead: isHead)
    run.agree(replies(pieces, isHead: isHead), whole, "answers in pieces and in one")
    if whole.contains(where: { $0?.header("Transfer-Encoding") != nil && $0?.body.isEmpty == false }
    ) {
      run.reach("chunked")
    }
  }

  private static let httpWords = [
    "\r\n", "\n", "\r\n\r\n", "Host: a\r\n", "Content-Length: 5\r\n", "Content-Length: 0\r\n",
    "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n", "0\r\n\r\n", ";x=\"y\"", ": ", "\t",
    " HTTP/1.1", "18446744073709551616", "ffffffffffffffff",
  ]

  private static let requestSamples = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\nPUT /v1/a%20b?x=1&y=a+b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.0\r\n\r\n\r\nGET /3 HTTP/1.1\r\nHost:\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\r\n"
      + "5;x=\"y\"\r\nhello\r\n00a\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://h/p?q HTTP/1.1\r\nHost: a\r\nA: \t b \r\nConnection: x, close\r\n\r\n",
  ]

  /// What the parser says, but for "needs more"; a body gets more room whenever it asks.
  private static func actions(
    _ pieces: [[UInt8]], allowance: Int
  ) -> [HTTPRequestParser.Action] {
    var parser = HTTPRequestParser(bodyLimit: 512)
    parser.bodyAllowance = allowance
    var actions: [HTTPRequestParser.Action] = []
    for piece in pieces {
      let isRefused = piece.withUnsafeBytes { bytes in
        var rest = bytes
        while true {
          let (action, consumed) = parser.consume(rest)
          rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
          if action == .needsMore { return false }
          actions.append(action)
          if case .refuse = action { return true }
          if action == .needsAllowance { parser.bodyAllowance += 3 }
        }
      }
      if isRefused { break }
    }
    return actions
  }

  /// The answers, and nil where the bytes aren't one.
  private static func replies(_ pieces: [[UInt8]], isHead: Bool) -> [HTTPResponse?] {
    var replies: [HTTPResponse?] = []
    var bytes: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      bytes += piece
      let isEnded = index == pieces.count - 1
      do throws(WireError) {
        while let (reply, _) = try HTTPResponseParser.next(
          &bytes, isHead: isHead, isEnded: isEnded)
        {
          replies.append(reply)
        }
      } catch {
        return replies + [nil]
      }
    }
    return replies
  }
}
