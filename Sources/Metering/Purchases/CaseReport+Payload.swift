/// Why a body is no report, in a sentence for people.
package struct CaseReportFault: Error, Equatable, Sendable {
  /// The code of the contract's 422.
  package static let code = "invalid_response"
  package var detail: String

  init(_ detail: String) {
    self.detail = detail
  }
}

extension CaseReport {
  /// Reads `{"sent":{…}|null,"httpStatus":202,"errorCode":null}`; `at` is left to the caller, who
  /// knows the time. Throws when a field has another type or range.
  package init(payload: JSONNode) throws(CaseReportFault) {
    self.init(httpStatus: try Self.integer(payload, "httpStatus", isRequired: true))
    if let httpStatus, !(100...599).contains(httpStatus) {
      throw CaseReportFault("httpStatus is 100 to 599, or null without an answer")
    }
    errorCode = try Self.integer(payload, "errorCode", isRequired: false)
    guard let body = payload["sent"], body.isNull || body.members != nil else {
      throw CaseReportFault("sent is the body sent to Apple, or null")
    }
    guard !body.isNull else { return }
    var writer = JSONWriter()
    writer.write(body)
    guard writer.bytes.count <= Limits.sentBytes else {
      throw CaseReportFault("sent is longer than \(Limits.sentBytes) bytes")
    }
    sent = ByteString(writer.bytes)
    if let stated = body["refundPreference"]?.string, stated.count <= Limits.reasonBytes {
      preference = stated
    }
  }

  private static func integer(
    _ payload: JSONNode, _ name: String, isRequired: Bool
  ) throws(CaseReportFault) -> Int64? {
    guard let node = payload[name] else {
      guard isRequired else { return nil }
      throw CaseReportFault("\(name) is missing")
    }
    guard !node.isNull else { return nil }
    guard let number = node.integer else {
      throw CaseReportFault("\(name) is an integer or null")
    }
    return number
  }
}
