/// Up to where a source has sent all of its usage.
package struct FeedMark: Sendable, Equatable {
  package var source: ByteString
  package var through: Instant

  package init(source: ByteString, through: Instant) {
    self.source = source
    self.through = through
  }
}

/// Where a case stands in lists: the sooner to be answered comes first.
package struct CasePlace: Sendable, Hashable, Comparable {
  package var respondBy: Instant
  package var id: CaseID

  package init(respondBy: Instant, id: CaseID) {
    self.respondBy = respondBy
    self.id = id
  }

  package static func < (left: CasePlace, right: CasePlace) -> Bool {
    if left.respondBy != right.respondBy { return left.respondBy < right.respondBy }
    if left.id.transaction != right.id.transaction {
      return left.id.transaction < right.id.transaction
    }
    return left.id.number < right.id.number
  }
}

/// Which cases a page may hold.
package struct CaseRange: Sendable, Equatable {
  /// Only cases with an outcome that was told, or only those without; nil: both.
  package var hasEnd: Bool?
  /// Only cases with no earlier `respondBy`.
  package var from: Instant
  /// Only cases behind this place.
  package var after: CasePlace?

  package init(
    hasEnd: Bool? = nil, from: Instant = .distantPast, after: CasePlace? = nil
  ) {
    self.hasEnd = hasEnd
    self.from = from
    self.after = after
  }

  /// Whether a case belongs to the range.
  package func contains(_ place: CasePlace, hasEnd: Bool) -> Bool {
    (self.hasEnd ?? hasEnd) == hasEnd && place.respondBy >= from
      && after.map { $0 < place } ?? true
  }
}

/// A case with its purchase's record.
package struct ListedCase: Sendable, Equatable {
  package var record: PurchaseRecord
  package var refundCase: RefundCase

  package init(record: PurchaseRecord, refundCase: RefundCase) {
    self.record = record
    self.refundCase = refundCase
  }

  /// Its place in lists.
  package var place: CasePlace {
    CasePlace(
      respondBy: refundCase.respondBy(in: record.environment),
      id: CaseID(transaction: record.transactionId, number: refundCase.number))
  }
}
