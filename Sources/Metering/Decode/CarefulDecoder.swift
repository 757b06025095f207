extension EventDecoder {
  /// Decodes by way of nodes, slowly, and says what is wrong. Appends exactly one event.
  @inline(never)
  func decodeCarefully(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) {
    batch.carefulCost += Limits.carefulEventCost + line.count
    guard line.count <= Limits.eventBytes else { return batch.appendTooLarge() }
    var decoder = CarefulDecoder(key: key, batch: batch, raw: batch.append(line))
    decoder.decode(line)
  }
}

/// Decodes one event by way of nodes: the first fault in order of meaning is the verdict.
struct CarefulDecoder {
  let key: HashKey
  let batch: IngestBatch
  let raw: TextSpan
  /// As far as they could be read, so that a reply can name the event.
  private var id = TextSpan()
  private var source = TextSpan()
  private var subject = TextSpan()
  private var subjectKind = SubjectKind.transaction

  init(key: HashKey, batch: IngestBatch, raw: TextSpan) {
    self.key = key
    self.batch = batch
    self.raw = raw
  }

  /// Appends one event and its readings, or one rejected event.
  mutating func decode(_ line: UnsafeRawBufferPointer) {
    let events = batch.events.count
    let readings = batch.readings.count
    do throws(Rejection) {
      try read(line)
    } catch {
      batch.rewind(events: events, readings: readings, text: batch.textCount)
      var event = DecodedEvent()
      event.raw = raw
      event.id = id
      event.source = source
      event.rejection = error.code
      if !subject.isEmpty {
        event.subjectKind = subjectKind
        event.subject = subject
        event.subjectHash = key.hash128(batch.buffer(subject))
      }
      // Keys of any length may be quoted in it.
      event.detail = batch.append(Self.cut(error.detail))
      batch.events.append(event)
    }
  }

  /// At most ``Limits/detailBytes`` of a sentence, in whole characters of Unicode: what looks like
  /// one character to people may have any number of bytes.
  private static func cut(_ detail: String) -> ByteString {
    var bytes = Array(detail.utf8.prefix(Limits.detailBytes + 1))
    if bytes.count > Limits.detailBytes {
      repeat {} while bytes.removeLast() & 0xC0 == 0x80
    }
    return ByteString(bytes)
  }

  private mutating func read(_ line: UnsafeRawBufferPointer) throws(Rejection) {
    let node: JSONNode
    let duplicate: JSONFault?
    do throws(JSONFault) {
      (node, duplicate) = try JSONNode.parseKeepingDuplicates(line, dialect: .strict)
    } catch {
      throw Rejection(
        error.kind == .tooMany ? .tooLarge : .invalidJSON,
        "line \(error.line), column \(error.column): \(error.message)")
    }
    guard let members = node.members else {
      throw Rejection(.invalidJSON, "an event is an object, not \(node.typeName)")
    }
    remember(node)
    if let duplicate { throw Rejection(.duplicateKey, duplicate.message) }
    let given = members.filter { !$0.node.isNull || $0.key == "completeThrough" }
    if given.contains(where: { $0.key == "voids" }) {
      try readVoid(node)
    } else if given.contains(where: { $0.key == "completeThrough" }) {
      try readMark(node)
    } else {
      try readUsage(node)
    }
  }

  private mutating func remember(_ node: JSONNode) {
    if let text = node["id"]?.string, text.count <= Limits.nameBytes { id = batch.append(text) }
    if let text = node["source"]?.string, text.count <= Limits.nameBytes {
      source = batch.append(text)
    }
    for (field, kind) in Self.purchaseFields where subject.isEmpty {
      guard let text = node[field]?.string, text.count <= Limits.nameBytes else { continue }
      subject = batch.append(text)
      subjectKind = kind
    }
  }

  private static let purchaseFields: [(field: String, kind: SubjectKind)] = [
    ("transactionId", .transaction), ("originalTransactionId", .chain),
  ]

  // MARK: Kinds of events

  private mutating func readVoid(_ node: JSONNode) throws(Rejection) {
    try node.allow(["id", "source", "voids"], within: "a void")
    let target = node.given("voids")
    try target?.allow(["id", "source"], within: "voids")
    try readIdentity(node)
    guard let target, target.members != nil else {
      throw Rejection(.invalidJSON, "voids must be an object")
    }
    guard let targetId = target.given("id") else {
      throw Rejection(.missingId, "voids.id is missing")
    }
    let id = try name(targetId, "voids.id", code: .invalidId)
    let source = try target.given("source").map { node throws(Rejection) in
      try name(node, "voids.source", code: .invalidId, mayBeEmpty: true)
    }
    var event = DecodedEvent()
    event.kind = .void
    event.raw = raw
    event.id = self.id
    event.source = self.source
    event.key = batch.eventKey(source: self.source, id: self.id, key: key)
    event.targetKey = batch.eventKey(source: source ?? TextSpan(), id: id, key: key)
    var words = FingerprintWords(key)
    words.append(event.targetKey)
    event.fingerprint = words.finish()
    batch.events.append(event)
  }

  private mutating func readMark(_ node: JSONNode) throws(Rejection) {
    try node.allow(["source", "completeThrough"], within: "a completeThrough mark")
    source = TextSpan()
    if let given = node.given("source") {
      source = try name(given, "source", code: .invalidId, mayBeEmpty: true)
    }
    var event = DecodedEvent()
    event.kind = .mark
    event.raw = raw
    event.source = source
    event.key = key.hash128(batch.buffer(source))
    if let given = node.given("completeThrough") {
      event.through = try instant(given, "completeThrough")
    }
    var words = FingerprintWords(key)
    words.append(UInt64(bitPattern: event.through))
    event.fingerprint = words.finish()
    batch.events.append(event)
  }

  private mutating func readUsage(_ node: JSONNode) throws(Rejection) {
    try node.allow(
      [
        "id", "source", "time", "transactionId", "originalTransactionId", "customer", "meter",
        "quantity", "attributes", "unit", "cost", "usage",
      ], within: "an event")
    try node.given("cost")?.allow(["amount", "currency"], within: "cost")
    for reading in node.given("usage")?.elements ?? [] {
      try reading.allow(["meter", "quantity", "attributes", "unit", "cost"], within: "usage")
      try reading.given("cost")?.allow(["amount", "currency"], within: "cost")
    }
    try readIdentity(node)
    var draft = EventDraft(raw: raw, id: id, source: source)
    draft.transaction = try subjectName(node, "transactionId")
    draft.chain = try subjectName(node, "originalTransactionId")
    draft.customer = try subjectName(node, "customer")
    guard !draft.transaction.isEmpty || !draft.chain.isEmpty || !draft.customer.isEmpty else {
      throw Rejection(
        .missingSubject, "one of transactionId, originalTransactionId, customer is required")
    }
    if let given = node.given("time") { draft.time = try instant(given, "time") }
    let firstReading = batch.readings.count
    for reading in try readings(node) { try readReading(reading) }
    batch.finishUsage(draft, firstReading: firstReading, key: key)
  }

  /// The nodes that hold the event's readings: its usage, or itself.
  private func readings(_ node: JSONNode) throws(Rejection) -> [JSONNode] {
    guard let usage = node.given("usage") else { return [node] }
    for field in ["meter", "quantity", "attributes", "unit", "cost"]
    where node.given(field) != nil {
      throw Rejection(.invalidJSON, "\(field) and usage exclude each other")
    }
    guard let readings = usage.elements, !readings.isEmpty,
      readings.count <= Limits.readingsPerEvent
    else {
      throw Rejection(
        .invalidJSON, "usage must be an array of 1 to \(Limits.readingsPerEvent) readings")
    }
    guard readings.allSatisfy({ $0.members != nil }) else {
      throw Rejection(.invalidJSON, "each reading in usage must be an object")
    }
    return readings
  }

  // MARK: Fields

  private mutating func readIdentity(_ node: JSONNode) throws(Rejection) {
    guard let given = node.given("id") else { throw Rejection(.missingId, "id is missing") }
    id = try name(given, "id", code: .invalidId)
    source = TextSpan()
    if let given = node.given("source") {
      source = try name(given, "source", code: .invalidId, mayBeEmpty: true)
    }
  }

  private func subjectName(_ node: JSONNode, _ field: String) throws(Rejection) -> TextSpan {
    guard let given = node.given(field) else { return TextSpan() }
    return try name(given, field, code: .invalidSubject)
  }

  /// A string of at most 256 bytes without control characters.
  private func name(
    _ node: JSONNode, _ field: String, code: RejectionCode, mayBeEmpty: Bool = false
  ) throws(Rejection) -> TextSpan {
    guard let text = node.string else {
      throw Rejection(code, "\(field) must be a string, not \(node.typeName)")
    }
    guard !text.isEmpty || mayBeEmpty else { throw Rejection(code, "\(field) is empty") }
    guard text.count <= Limits.nameBytes else {
      throw Rejection(code, "\(field) has \(text.count) bytes, over \(Limits.nameBytes)")
    }
    guard !text.bytes.withUnsafeBytes({ EventDecoder.hasControls($0) }) else {
      throw Rejection(code, "\(field) has a control character")
    }
    return batch.append(text)
  }

  private func instant(_ node: JSONNode, _ field: String) throws(Rejection) -> Int64 {
    guard let instant = node.string.flatMap({ Instant(rfc3339: $0) }) else {
      throw Rejection(.invalidTime, "\(field) must be an RFC 3339 timestamp with offset")
    }
    return instant.microseconds
  }
}

extension EventDecoder {
  /// Whether valid UTF-8 has control characters of Unicode: C0, DEL or C1.
  package static func hasControls(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
      previous = byte
    }
    return false
  }
}

extension JSONNode {
  /// A member's value that isn't null.
  func given(_ key: String) -> JSONNode? {
    self[key].flatMap { $0.isNull ? nil : $0 }
  }

  /// Refuses the first other key in order of bytes, unless its value is null and it is a key of
  /// another kind of event.
  func allow(_ keys: Set<ByteString>, within place: String) throws(Rejection) {
    let unknown = (members ?? []).filter { member in
      let name = member.key
      return !keys.contains(name) && !(member.node.isNull && Self.fields.contains(name))
    }
    guard let first = unknown.map(\.key).min() else { return }
    throw Rejection(.unknownField, "\(place) has no field \"\(first.string)\"")
  }

  private static let fields: Set<ByteString> = [
    "id", "source", "time", "transactionId", "originalTransactionId", "customer", "meter",
    "quantity", "attributes", "unit", "cost", "usage", "voids",
  ]
}
