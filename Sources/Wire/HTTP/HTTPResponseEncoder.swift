/// Answers as bytes.
enum HTTPResponseEncoder {
  /// What the request asked of its answer.
  struct Manner: Equatable {
    /// HEAD: the body's length is told and the body left out.
    var omitsBody = false
    /// The connection closes after this answer.
    var closes = false
    /// HTTP/1.0 with keep-alive: it must be told that the connection stays.
    var announcesKeepAlive = false
  }

  static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  static func append(
    _ response: HTTPResponse, manner: Manner, date: [UInt8], to output: inout [UInt8]
  ) {
    precondition((200...599).contains(response.status), "not a final status")
    output += "HTTP/1.1 \(response.status) ".utf8
    output += HTTPStatus.phrase(response.status).utf8
    output += "\r\nDate: ".utf8
    output += date
    for header in response.headers {
      output += "\r\n".utf8
      output += header.name.utf8
      output += ": ".utf8
      // Values may come from users; a line break would begin a header of theirs.
      for byte in header.value.utf8 {
        output.append(ASCII.isFieldValue(byte) ? byte : ASCII.space)
      }
    }
    let hasBody = response.status != 204 && response.status != 304
    if hasBody { output += "\r\nContent-Length: \(response.body.count)".utf8 }
    if manner.closes { output += "\r\nConnection: close".utf8 }
    if manner.announcesKeepAlive, !manner.closes { output += "\r\nConnection: keep-alive".utf8 }
    output += "\r\n\r\n".utf8
    if hasBody, !manner.omitsBody { output += response.body }
  }
}
