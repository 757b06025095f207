/// A blocking HTTP/1.1 client on one kept connection. For one thread at a time.
package final class UnixHTTPClient {
  private enum Place {
    case unix(String)
    case tcp(String)
  }

  private let place: Place
  private var socket: ClientSocket?
  /// How long a call may take from its beginning to the end of its answer, milliseconds; nil waits
  /// for ever.
  package var patienceMilliseconds: Int32?

  /// Connects to a Unix socket, with the same patience. Throws when nothing listens there.
  package init(path: String, patienceMilliseconds: Int32? = nil) throws(WireError) {
    place = .unix(path)
    self.patienceMilliseconds = patienceMilliseconds
    socket = try connect(until: CallDeadline(milliseconds: patienceMilliseconds))
  }

  /// Connects to an IP address and port, with the same patience. Throws when nothing listens there.
  package init(tcp address: String, patienceMilliseconds: Int32? = nil) throws(WireError) {
    place = .tcp(address)
    self.patienceMilliseconds = patienceMilliseconds
    socket = try connect(until: CallDeadline(milliseconds: patienceMilliseconds))
  }

  /// Sends one request and waits for its answer; connects anew first if the server has closed the
  /// kept connection meanwhile.
  package func send(_ request: ClientRequest) throws(WireError) -> HTTPResponse {
    let answers = try sendAll([request])
    guard let answer = answers.first else {
      throw WireError(operation: "read answer", reason: "the server closed without answering")
    }
    return answer
  }

  /// Sends all requests without waiting in between; answers come in the order of the requests.
  /// Fewer answers than requests come back when the server closed after one.
  package func sendAll(_ requests: [ClientRequest]) throws(WireError) -> [HTTPResponse] {
    let deadline = CallDeadline(milliseconds: patienceMilliseconds)
    if let socket { try? socket.receive() }
    if socket?.isEnded ?? true { socket = try connect(until: deadline) }
    guard let socket else { return [] }
    var bytes: [UInt8] = []
    for request in requests { append(request, to: &bytes) }
    do throws(WireError) {
      try socket.write(bytes, until: deadline)
    } catch {
      // A refusal may have come before the server closed; it says more than "broken pipe".
      if socket.received.isEmpty {
        self.socket = nil
        throw error
      }
    }
    return try readAnswers(to: requests, socket, until: deadline)
  }

  private func readAnswers(
    to requests: [ClientRequest], _ socket: ClientSocket, until deadline: CallDeadline
  ) throws(WireError) -> [HTTPResponse] {
    var answers: [HTTPResponse] = []
    while answers.count < requests.count {
      let isHead = requests[answers.count].method == "HEAD"
      if let (answer, keepAlive) = try HTTPResponseParser.next(
        &socket.received, isHead: isHead, isEnded: socket.isEnded)
      {
        answers.append(answer)
        if !keepAlive {
          self.socket = nil
          return answers
        }
      } else if socket.isEnded {
        self.socket = nil
        return answers
      } else if try !socket.waitForInput(milliseconds: deadline.left) {
        self.socket = nil
        throw WireError(operation: "read answer", reason: "no answer in time")
      }
    }
    return answers
  }

  private func connect(until deadline: CallDeadline) throws(WireError) -> ClientSocket {
    switch place {
    case .unix(let path): try ClientSocket(unix: path, until: deadline)
    case .tcp(let address): try ClientSocket(tcp: address, until: deadline)
    }
  }

  private func append(_ request: ClientRequest, to bytes: inout [UInt8]) {
    bytes += "\(request.method) \(request.target) HTTP/1.1\r\nHost: localhost\r\n".utf8
    for header in request.headers { bytes += "\(header.name): \(header.value)\r\n".utf8 }
    let sendsBody = !request.body.isEmpty || !["GET", "HEAD", "DELETE"].contains(request.method)
    if sendsBody { bytes += "Content-Length: \(request.body.count)\r\n".utf8 }
    bytes += "\r\n".utf8
    bytes += request.body
  }
}
