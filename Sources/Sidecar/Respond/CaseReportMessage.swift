import Metering
import Wire

/// What the sidecar is told of one attempt.
struct CaseReportMessage {
  let id: ByteString
  /// The body sent.
  let body: [UInt8]
  let at: Instant
  /// nil without an answer.
  var httpStatus: Int?
  /// Apple's number; nil when there is none.
  var errorCode: Int64?

  init(id: ByteString, body: [UInt8], at: Instant) {
    self.id = id
    self.body = body
    self.at = at
  }

  var target: String { "/v1/refund-requests/\(PercentCoding.encode(id.bytes))" }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("sent")
    writer.raw(body)
    writer.key("httpStatus")
    if let httpStatus { writer.number(httpStatus) } else { writer.null() }
    writer.key("errorCode")
    if let errorCode { writer.number(errorCode) } else { writer.null() }
    writer.member("at", at.description)
    writer.endObject()
    return writer.bytes
  }
}
