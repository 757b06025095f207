import Metering

@testable import Wire

/// A request as the socket would hand it over; the target is written as on the wire.
func makeRequest(
  _ method: String, _ target: String, _ headers: [String] = [], host: String = "x",
  body: String = ""
) -> HTTPRequest? {
  makeRequest(method, target, headers, host: host, body: Array(body.utf8))
}

func makeRequest(
  _ method: String, _ target: String, _ headers: [String] = [], host: String = "x",
  body: [UInt8]
) -> HTTPRequest? {
  let lines =
    ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Content-Length: \(body.count)"] + headers
  let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  var parser = HTTPRequestParser()
  return bytes.withUnsafeBytes { bytes in
    var rest = bytes
    while true {
      let (action, consumed) = parser.consume(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
      switch action {
      case .head, .needsAllowance: continue
      case .request(let head, let body):
        return HTTPRequest(
          head: head, body: body, connection: ConnectionID(slot: 0, generation: 0))
      case .needsMore, .refuse: return nil
      }
    }
  }
}

/// What a test asserts of an answer: status, then code.
func summary(_ response: HTTPResponse) -> String {
  guard response.header("Content-Type") == "application/problem+json",
    let problem = try? JSONNode.parse(response.body, dialect: .strict),
    problem["type"]?.string == "about:blank",
    problem["status"]?.integer == Int64(response.status), problem["title"]?.string != nil
  else { return "\(response.status)" }
  return "\(response.status) \(problem["code"]?.string?.string ?? "-")"
}
