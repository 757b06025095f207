/// What the backend says of the delivery of a purchase, in Apple's words.
package enum DeliveryStatus: UInt8, CaseIterable, Sendable {
  case delivered = 0
  case undeliveredQualityIssue = 1
  case undeliveredWrongItem = 2
  case undeliveredServerOutage = 3
  case undeliveredOther = 4

  /// Reads Apple's spelling; nil for every other text.
  package init?(name: ByteString) {
    guard let status = Self.allCases.first(where: { ByteString($0.name) == name }) else {
      return nil
    }
    self = status
  }

  /// Apple's spelling.
  package var name: String {
    switch self {
    case .delivered: "DELIVERED"
    case .undeliveredQualityIssue: "UNDELIVERED_QUALITY_ISSUE"
    case .undeliveredWrongItem: "UNDELIVERED_WRONG_ITEM"
    case .undeliveredServerOutage: "UNDELIVERED_SERVER_OUTAGE"
    case .undeliveredOther: "UNDELIVERED_OTHER"
    }
  }

  /// True for every status but `DELIVERED`.
  package var isUndelivered: Bool { self != .delivered }
}
