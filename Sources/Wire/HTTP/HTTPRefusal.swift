/// Why a request is refused by the framing itself; the connection closes after the answer.
package struct HTTPRefusal: Error, Equatable, Sendable {
  /// The status of the answer.
  package var status: Int
  /// The stable code of the problem document.
  package var code: String
  /// The reason in words, without anything the client sent.
  package var detail: String

  static func badRequest(_ detail: String) -> HTTPRefusal {
    HTTPRefusal(status: 400, code: "bad_request", detail: detail)
  }

  static let headTooLarge = HTTPRefusal(
    status: 431, code: "header_too_large",
    detail: "The request line and headers take more than \(Limits.headBytes) bytes.")

  static func bodyTooLarge(_ limit: Int) -> HTTPRefusal {
    HTTPRefusal(
      status: 413, code: "too_large", detail: "This path takes at most \(limit) bytes.")
  }

  static let version = HTTPRefusal(
    status: 505, code: "http_version", detail: "Only HTTP/1.0 and HTTP/1.1 are spoken here.")

  static let transferCoding = HTTPRefusal(
    status: 501, code: "transfer_encoding", detail: "Only the chunked transfer coding is known.")

  static let expectation = HTTPRefusal(
    status: 417, code: "expectation_failed", detail: "Only 100-continue can be expected.")

  static let timeout = HTTPRefusal(
    status: 408, code: "request_timeout", detail: "The request did not arrive in time.")

  static let firstByte = badRequest(
    "A connection begins with an HTTP method or with an event in braces.")

  /// The answer as sent.
  package var response: HTTPResponse {
    .problem(status: status, code: code, detail: detail)
  }
}
