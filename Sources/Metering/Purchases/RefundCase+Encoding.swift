/// The stored form: fields of (tag, value). Tags are stored: a tag never changes its meaning.
extension RefundCase {
  private enum Field {
    static let number: UInt8 = 1
    static let reason: UInt8 = 2
    static let receivedAt: UInt8 = 3
    static let signedDate: UInt8 = 4
    static let lastAsked: UInt8 = 5
    static let claim: UInt8 = 6
    static let response: UInt8 = 7
    static let failures: UInt8 = 8
    static let end: UInt8 = 9
    /// Only where it isn't ``reason``; empty for none.
    static let openingReason: UInt8 = 10
  }

  var encoded: [UInt8] {
    var out = RecordWriter()
    out.field(Field.number, number)
    out.field(Field.reason, reason)
    if openingReason != reason { out.field(Field.openingReason, openingReason ?? "") }
    out.field(Field.receivedAt, receivedAt.microseconds)
    out.field(Field.signedDate, signedDate?.microseconds)
    out.field(Field.lastAsked, lastAsked.microseconds)
    if let claim {
      out.bytes.append(Field.claim)
      out.text(claim.responder)
      out.signed(claim.until.microseconds)
    }
    if let response { out.section(Field.response, response.encoded) }
    if let failures { out.section(Field.failures, failures.encoded) }
    if let end {
      out.bytes.append(Field.end)
      out.bytes += end.encoded
    }
    return out.bytes
  }

  init?(encoded: [UInt8]) {
    var reader = RecordReader(encoded)
    guard reader.byte() == Field.number, let number = reader.signed() else { return nil }
    self.init(number: number)
    while !reader.isAtEnd {
      guard let tag = reader.byte(), take(tag, &reader) else { return nil }
    }
  }

  private mutating func take(_ tag: UInt8, _ reader: inout RecordReader) -> Bool {
    switch tag {
    case Field.reason:
      reason = reader.text()
      openingReason = reason
      return reason != nil
    case Field.openingReason:
      guard let text = reader.text() else { return false }
      openingReason = text.isEmpty ? nil : text
    case Field.receivedAt:
      guard let at = reader.instant() else { return false }
      receivedAt = at
    case Field.signedDate:
      signedDate = reader.instant()
      return signedDate != nil
    case Field.lastAsked:
      guard let at = reader.instant() else { return false }
      lastAsked = at
    case Field.claim:
      guard let responder = reader.text(), let until = reader.instant() else { return false }
      claim = CaseClaim(responder: responder, until: until)
    case Field.response:
      response = reader.text().flatMap { CaseResponse(encoded: $0.bytes) }
      return response != nil
    case Field.failures:
      failures = reader.text().flatMap { CaseFailures(encoded: $0.bytes) }
      return failures != nil
    case Field.end:
      end = CaseEnd(reading: &reader)
      return end != nil
    default: return false
    }
    return true
  }
}

extension CaseEnd {
  var encoded: [UInt8] {
    var out = RecordWriter()
    out.bytes.append(kind.rawValue)
    out.signed(at.microseconds)
    return out.bytes
  }

  init?(encoded: [UInt8]) {
    var reader = RecordReader(encoded)
    self.init(reading: &reader)
    guard reader.isAtEnd else { return nil }
  }

  fileprivate init?(reading reader: inout RecordReader) {
    guard let kind = reader.byte().flatMap(CaseEnd.Kind.init), let at = reader.instant() else {
      return nil
    }
    self.init(kind: kind, at: at)
  }
}

extension CaseResponse {
  private enum Field {
    static let at: UInt8 = 1
    static let sent: UInt8 = 2
    static let httpStatus: UInt8 = 3
    static let errorCode: UInt8 = 4
    static let preference: UInt8 = 5
    static let figures: UInt8 = 6
  }

  fileprivate var encoded: [UInt8] {
    var out = RecordWriter()
    out.field(Field.at, at.microseconds)
    out.field(Field.sent, sent)
    out.field(Field.httpStatus, httpStatus)
    out.field(Field.errorCode, errorCode)
    out.field(Field.preference, preference)
    out.field(Field.figures, figures)
    return out.bytes
  }

  fileprivate init?(encoded: [UInt8]) {
    var reader = RecordReader(encoded)
    guard reader.byte() == Field.at, let at = reader.instant() else { return nil }
    self.init(at: at)
    while !reader.isAtEnd {
      switch reader.byte() {
      case Field.sent: sent = reader.text()
      case Field.httpStatus: httpStatus = reader.signed()
      case Field.errorCode: errorCode = reader.signed()
      case Field.preference: preference = reader.text()
      case Field.figures: figures = reader.text()
      default: return nil
      }
    }
  }
}

extension CaseFailures {
  private enum Field {
    static let head: UInt8 = 1
    static let lastStatus: UInt8 = 2
    static let lastErrorCode: UInt8 = 3
  }

  fileprivate var encoded: [UInt8] {
    var out = RecordWriter()
    out.field(Field.head, count)
    out.signed(lastAt.microseconds)
    out.field(Field.lastStatus, lastStatus)
    out.field(Field.lastErrorCode, lastErrorCode)
    return out.bytes
  }

  fileprivate init?(encoded: [UInt8]) {
    var reader = RecordReader(encoded)
    guard reader.byte() == Field.head, let count = reader.signed(), let at = reader.instant()
    else { return nil }
    self.init(count: count, lastAt: at)
    while !reader.isAtEnd {
      switch reader.byte() {
      case Field.lastStatus: lastStatus = reader.signed()
      case Field.lastErrorCode: lastErrorCode = reader.signed()
      default: return nil
      }
    }
  }
}

extension RecordWriter {
  mutating func field(_ tag: UInt8, _ value: Int64?) {
    guard let value else { return }
    bytes.append(tag)
    signed(value)
  }

  mutating func field(_ tag: UInt8, _ value: ByteString?) {
    guard let value else { return }
    bytes.append(tag)
    text(value)
  }
}

extension RecordReader {
  mutating func instant() -> Instant? { signed().map { Instant(microseconds: $0) } }
}
