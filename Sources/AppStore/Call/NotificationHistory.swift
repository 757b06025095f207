package import Metering

/// Which notifications are asked for. Every page of an answer is asked for with the same question.
package struct NotificationHistoryQuestion: Equatable, Sendable {
  /// The first instant; Apple keeps 180 days, 30 in the sandbox.
  package var start: Instant
  /// The last instant.
  package var end: Instant
  /// Such as `CONSUMPTION_REQUEST`; nil asks for all.
  package var notificationType: ByteString?
  /// Only those that Apple hasn't been able to deliver.
  package var isOnlyFailures: Bool

  /// Asks for a stretch of time.
  package init(
    start: Instant, end: Instant, notificationType: ByteString? = nil, isOnlyFailures: Bool = false
  ) {
    self.start = start
    self.end = end
    self.notificationType = notificationType
    self.isOnlyFailures = isOnlyFailures
  }

  /// The call for the first page, or for the one that a token of the page before names; answered by
  /// ``NotificationHistoryPage``.
  package func call(paginationToken: ByteString? = nil) -> AppStoreCall {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("startDate")
    writer.number(start.microseconds / 1000)
    writer.key("endDate")
    writer.number(end.microseconds / 1000)
    if let notificationType {
      writer.key("notificationType")
      writer.string(notificationType)
    }
    if isOnlyFailures {
      writer.key("onlyFailures")
      writer.bool(true)
    }
    writer.endObject()
    let query = paginationToken.map { "?paginationToken=\(PathSegment.encode($0))" } ?? ""
    return AppStoreCall(
      endpoint: .notificationHistory, method: "POST",
      target: "/inApps/v1/notifications/history\(query)", body: writer.bytes)
  }
}

/// A notification with what became of its delivery.
package struct SentNotification: Equatable, Sendable {
  /// As it was first sent.
  package var signedPayload: ByteString
  /// Apple's words for each attempt in order, such as `SUCCESS` or `TIMED_OUT`.
  package var results: [ByteString]

  /// Reads one. Throws when there is no payload.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    guard let payload = node["signedPayload"]?.string else { throw APIAnswerFault("signedPayload") }
    signedPayload = payload
    results = (node["sendAttempts"]?.elements ?? []).compactMap { $0["sendAttemptResult"]?.string }
  }
}

/// A page of Get Notification History.
package struct NotificationHistoryPage: Equatable, Sendable {
  /// At most twenty.
  package var notifications: [SentNotification]
  /// Names the next page; nil at the end.
  package var next: ByteString?

  /// Reads a page. Throws when it isn't one.
  package init(_ node: JSONNode) throws(APIAnswerFault) {
    notifications = []
    for item in node["notificationHistory"]?.elements ?? [] {
      notifications.append(try SentNotification(item))
    }
    if node["hasMore"]?.bool == true {
      guard let token = node["paginationToken"]?.string else {
        throw APIAnswerFault("paginationToken")
      }
      next = token
    }
  }
}
