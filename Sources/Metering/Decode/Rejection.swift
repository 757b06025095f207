/// Why an event is refused, with a sentence for people.
struct Rejection: Error {
  var code: RejectionCode
  var detail: String

  init(_ code: RejectionCode, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
