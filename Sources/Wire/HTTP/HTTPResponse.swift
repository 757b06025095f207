/// One answer. Content-Length, Date and Connection are the encoder's business.
package struct HTTPResponse: Equatable, Sendable {
  /// The status code, 200…599.
  package var status: Int
  /// Headers in the order they are sent; line breaks in values become spaces.
  package var headers: [(name: String, value: String)]
  /// The body; left out for HEAD, where its length is still told.
  package var body: [UInt8]

  /// Makes an answer.
  package init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }

  /// The value of the first header with this name, compared without case; nil when absent.
  package func header(_ name: String) -> String? {
    headers.first { ASCII.equalIgnoringCase(Array($0.name.utf8)[...], name.utf8) }?.value
  }

  /// Equal status, headers in order, and body.
  package static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
    left.status == right.status && left.body == right.body
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}
