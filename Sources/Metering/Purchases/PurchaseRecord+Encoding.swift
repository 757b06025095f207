/// The stored form: a version, then sections of (tag, length, bytes), then within a payload
/// fields of (tag, value). Lengths and integers are LEB128, integers zigzag first.
extension PurchaseRecord {
  private static let version: UInt8 = 1

  private enum Section {
    static let transactionId: UInt8 = 1
    static let unsigned: UInt8 = 2
    static let signed: UInt8 = 3
    static let environment: UInt8 = 4
    static let delivery: UInt8 = 5
    static let allowance: UInt8 = 6
    static let refundCase: UInt8 = 7
    static let renewal: UInt8 = 8
    static let lastDecision: UInt8 = 9
    static let opening: UInt8 = 10
    static let boughtEnd: UInt8 = 11
    static let lastReversal: UInt8 = 12
    static let linkOrder: UInt8 = 13
  }

  /// The record as versioned bytes; equal records give equal bytes.
  package func encode() -> [UInt8] {
    var out = RecordWriter()
    out.bytes.append(Self.version)
    out.section(Section.transactionId, transactionId.bytes)
    if let unsigned { out.section(Section.unsigned, unsigned.encoded) }
    if let signed { out.section(Section.signed, signed.encoded) }
    if let environment { out.section(Section.environment, environment.bytes) }
    if let deliveryStatus { out.section(Section.delivery, [deliveryStatus.rawValue]) }
    for (meter, quantity) in allowances.sorted(by: { $0.key < $1.key }) {
      var entry = RecordWriter()
      entry.text(meter)
      entry.wide(quantity.raw)
      out.section(Section.allowance, entry.bytes)
    }
    for refundCase in cases { out.section(Section.refundCase, refundCase.encoded) }
    if renewal != RenewalState() { out.section(Section.renewal, renewal.encoded) }
    if let opening { out.section(Section.opening, opening.encoded) }
    if let lastDecision { out.section(Section.lastDecision, lastDecision.encoded) }
    if let boughtEnd {
      var entry = RecordWriter()
      entry.signed(boughtEnd.microseconds)
      out.section(Section.boughtEnd, entry.bytes)
    }
    if let lastReversal {
      var entry = RecordWriter()
      entry.signed(lastReversal.microseconds)
      out.section(Section.lastReversal, entry.bytes)
    }
    if linkOrder > 0 {
      var entry = RecordWriter()
      entry.unsigned(linkOrder)
      out.section(Section.linkOrder, entry.bytes)
    }
    return out.bytes
  }

  /// Takes a record back; nil for bytes that no version of the program known here wrote.
  package init?(encoded: some Collection<UInt8>) {
    var reader = RecordReader(Array(encoded))
    guard reader.byte() == Self.version else { return nil }
    self.init(transactionId: "")
    var isNamed = false
    while !reader.isAtEnd {
      guard let tag = reader.byte(), let bytes = reader.text() else { return nil }
      if tag == Section.transactionId { isNamed = true }
      guard take(tag, bytes) else { return nil }
    }
    guard isNamed else { return nil }
  }

  /// Whether the bytes of a record hold a refund case, without reading the rest.
  static func holdsCases(encoded: [UInt8]) -> Bool {
    var reader = RecordReader(encoded)
    guard reader.byte() == version else { return false }
    while let tag = reader.byte() {
      if tag == Section.refundCase { return true }
      guard reader.skipText() else { return false }
    }
    return false
  }

  private mutating func take(_ tag: UInt8, _ bytes: ByteString) -> Bool {
    switch tag {
    case Section.transactionId: transactionId = bytes
    case Section.environment: environment = bytes
    case Section.unsigned:
      guard let payload = Purchase(encoded: bytes.bytes) else { return false }
      unsigned = payload
    case Section.signed:
      guard let payload = Purchase(encoded: bytes.bytes) else { return false }
      signed = payload
    case Section.delivery:
      guard bytes.count == 1, let status = DeliveryStatus(rawValue: bytes.bytes[0]) else {
        return false
      }
      deliveryStatus = status
    case Section.allowance:
      var entry = RecordReader(bytes.bytes)
      guard let meter = entry.text(), let raw = entry.wide() else { return false }
      allowances[meter] = Quantity(raw: raw)
    case Section.refundCase:
      guard let refundCase = RefundCase(encoded: bytes.bytes) else { return false }
      cases.append(refundCase)
    case Section.renewal:
      guard let state = RenewalState(encoded: bytes.bytes) else { return false }
      renewal = state
    case Section.opening:
      opening = Opening(encoded: bytes.bytes)
      return opening != nil
    case Section.lastDecision:
      guard let decision = CaseEnd(encoded: bytes.bytes) else { return false }
      lastDecision = decision
      // Earlier versions kept a reversal in the place of the refund that it reversed.
      if decision.kind == .reversed {
        lastDecision = CaseEnd(kind: .granted, at: decision.at)
        lastReversal = max(lastReversal ?? .distantPast, decision.at)
      }
    case Section.boughtEnd:
      var entry = RecordReader(bytes.bytes)
      boughtEnd = entry.signed().map { Instant(microseconds: $0) }
      return boughtEnd != nil
    case Section.lastReversal:
      var entry = RecordReader(bytes.bytes)
      guard let at = entry.instant() else { return false }
      lastReversal = at
    case Section.linkOrder:
      var entry = RecordReader(bytes.bytes)
      guard let order = entry.unsigned() else { return false }
      linkOrder = order
    default: return false
    }
    return true
  }
}

extension Purchase {
  fileprivate var encoded: [UInt8] {
    var out = RecordWriter()
    for field in PurchaseField.all {
      switch field.place {
      case .text(let place), .json(let place):
        guard let text = self[place] else { continue }
        out.bytes.append(field.tag)
        out.text(text)
      case .instant(let place), .integer(let place, _):
        guard let number = self[place] else { continue }
        out.bytes.append(field.tag)
        out.signed(number)
      case .flag(let place):
        guard let flag = self[place] else { continue }
        out.bytes.append(field.tag)
        out.bytes.append(flag == 0 ? 0 : 1)
      }
    }
    return out.bytes
  }

  fileprivate init?(encoded: [UInt8]) {
    self.init()
    var reader = RecordReader(encoded)
    while !reader.isAtEnd {
      guard let tag = reader.byte(), tag < PurchaseField.byTag.count,
        let field = PurchaseField.byTag[Int(tag)]
      else { return nil }
      switch field.place {
      case .text(let place), .json(let place):
        guard let text = reader.text() else { return nil }
        self[place] = text
      case .instant(let place), .integer(let place, _):
        guard let number = reader.signed() else { return nil }
        self[place] = number
      case .flag(let place):
        guard let byte = reader.byte(), byte <= 1 else { return nil }
        self[place] = Int64(byte)
      }
    }
  }
}
