/// What a payload did to a record.
package struct PurchaseMerge: Equatable, Sendable {
  package var record: PurchaseRecord
  /// False when the payload changed nothing: an older one, or the same again.
  package var applied: Bool
  /// True when no purchase was known before, whatever facts were.
  package var created: Bool
}

/// Why a payload doesn't belong to a record.
package enum PurchaseRefusal: Error, Equatable, Sendable {
  /// The transaction was first seen in the other environment: 409.
  case environmentMismatch
  /// The payload names another transaction: 422.
  case idMismatch
}

extension PurchaseRecord {
  /// Merges a payload. Signed payloads are ordered by `signedDate` among themselves, unsigned
  /// ones among themselves: a newer replaces the older as a whole, an older changes nothing but
  /// the end that is known to be bought. Of two that were signed at one instant and say different
  /// things, one is always the newer, in whatever order they come. One without `signedDate` fills
  /// only what is absent.
  ///
  /// A payload without an environment belongs to the record's, at first to Production.
  package func applying(
    _ payload: Purchase, signed isSigned: Bool
  ) -> Result<PurchaseMerge, PurchaseRefusal> {
    guard payload.transactionId.map({ $0 == transactionId }) ?? true else {
      return .failure(.idMismatch)
    }
    let place = environment ?? payload.environment ?? Purchase.production
    guard payload.environment.map({ $0 == place }) ?? true else {
      return .failure(.environmentMismatch)
    }
    var payload = payload
    payload.transactionId = nil
    payload.environment = nil
    var record = self
    record.environment = place
    let layer = Self.merge(payload, into: isSigned ? signed : unsigned)
    if isSigned {
      record.signed = layer
      record.boughtEnd = earliestEnd(payload, ifBefore: layer.expiresDate)
    } else {
      record.unsigned = layer
    }
    record.settleCases(after: purchase)
    let created = signed == nil && unsigned == nil
    return .success(
      PurchaseMerge(record: record, applied: !record.saysTheSame(as: self), created: created))
  }

  /// The earliest end that was signed, in whatever order the payloads came: an older one, which
  /// changes nothing else, tells what an extension has moved. Nil when it is the end in force.
  private func earliestEnd(_ payload: Purchase, ifBefore end: Instant?) -> Instant? {
    let ends = [boughtEnd, signed?.expiresDate, payload.expiresDate].compactMap { $0 }
    return ends.min().flatMap { $0 == end ? nil : $0 }
  }

  /// Whether two records of a transaction differ at most in the end that was bought.
  func saysTheSame(as other: PurchaseRecord) -> Bool {
    var same = self
    same.boughtEnd = other.boughtEnd
    return same == other
  }

  private static func merge(_ payload: Purchase, into known: Purchase?) -> Purchase {
    guard let known else { return payload }
    if let newer = payload.signedDate {
      guard let older = known.signedDate, newer <= older else { return payload }
      return newer == older && payload.isAfter(known) ? payload : known
    }
    var filled = known
    for field in PurchaseField.all { field.fill(&filled, from: payload) }
    return filled
  }
}

extension Purchase {
  /// A total order of payloads by what they say, field by field; one that says something is after
  /// one that doesn't.
  fileprivate func isAfter(_ other: Purchase) -> Bool {
    for field in PurchaseField.all {
      switch field.place {
      case .text(let place), .json(let place):
        if self[place] != other[place] { return Self.isAfter(self[place], other[place]) }
      case .instant(let place), .integer(let place, _), .flag(let place):
        if self[place] != other[place] { return Self.isAfter(self[place], other[place]) }
      }
    }
    return false
  }

  private static func isAfter<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool {
    guard let left else { return false }
    return right.map { $0 < left } ?? true
  }
}
