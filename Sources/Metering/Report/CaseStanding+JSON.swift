extension CaseStanding {
  /// Writes the case as one object: what was asked, and what was done where something was.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    write(members: &writer, hasFigures: false)
    writer.endObject()
  }

  /// Writes the members of the object; with the frozen figures, which are long, only for lists.
  func write(members writer: inout JSONWriter, hasFigures: Bool) {
    writer.member("case", id.text)
    if hasFigures { writer.member("transactionId", id.transaction) }
    writer.member("state", state.rawValue)
    writer.member("consumptionRequestReason", refundCase.reason)
    writer.member("receivedAt", refundCase.receivedAt)
    writer.member("respondBy", respondBy)
    if let claim {
      writer.key("claim")
      writer.beginObject()
      writer.member("responder", claim.responder)
      writer.member("until", claim.until)
      writer.endObject()
    }
    if let failures = refundCase.failures { write(failures, to: &writer) }
    if let response = refundCase.response {
      write(response, to: &writer, hasFigures: hasFigures)
    }
    if let end = refundCase.end { writer.member("endedAt", end.at) }
  }

  private func write(_ failures: CaseFailures, to writer: inout JSONWriter) {
    writer.key("failures")
    writer.beginObject()
    writer.member("count", failures.count)
    writer.member("httpStatus", failures.lastStatus)
    writer.member("errorCode", failures.lastErrorCode)
    writer.member("at", failures.lastAt)
    writer.endObject()
  }

  private func write(
    _ response: CaseResponse, to writer: inout JSONWriter, hasFigures: Bool
  ) {
    writer.key("response")
    writer.beginObject()
    writer.key("sent")
    if let sent = response.sent { writer.raw(sent.bytes) } else { writer.null() }
    writer.member("httpStatus", response.httpStatus)
    writer.member("errorCode", response.errorCode)
    writer.member("at", response.at)
    if hasFigures {
      writer.key("figures")
      if let figures = response.figures { writer.raw(figures.bytes) } else { writer.null() }
    }
    writer.endObject()
  }
}
