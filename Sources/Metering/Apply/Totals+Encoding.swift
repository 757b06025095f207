extension Totals {
  private static let formatVersion: UInt8 = 3
  /// Upper bound of one encoded entry beside its texts, bytes.
  private static let entryBytes = 192

  /// Compact bytes for the ledger's `meta`.
  package func encode() -> [UInt8] {
    let texts = byKey.keys.reduce(0) {
      $0 + $1.meter.count + $1.unit.count + $1.label.product.count + $1.label.environment.count
        + $1.rate.count
    }
    let guardTexts = guards.keys.reduce(0) { $0 + $1.count + 32 }
    let capacity =
      1_024 + byKey.count * Self.entryBytes + texts + guardTexts + amountGuards.count * 32
      + (rejections.count + notifications.count) * 16
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      var writer = FactWriter(start: UnsafeMutableRawPointer(start), capacity: capacity)
      write(to: &writer)
      count = writer.count
    }
  }

  private func write(to writer: inout FactWriter) {
    writer.byte(Self.formatVersion)
    for value in [accepted, duplicates, conflicts, rejected, quarantineDropped] {
      writer.word(value)
    }
    for value in [
      lastEvent, floor, waitingReadings, quarantineBytes, quarantinedEvents, lastNotification,
    ] {
      writer.word(UInt64(bitPattern: value))
    }
    writer.varint(UInt64(rejections.count))
    for (code, count) in rejections {
      writer.byte(code)
      writer.varint(count)
    }
    writer.varint(UInt64(notifications.count))
    for (type, count) in notifications {
      writer.byte(type)
      writer.varint(count)
    }
    writer.varint(UInt64(guards.count))
    for (meter, value) in guards {
      writer.text(meter)
      writer.wide(value)
    }
    writer.varint(UInt64(amountGuards.count))
    for (currency, value) in amountGuards {
      writer.half(currency)
      writer.wide(value)
    }
    writer.varint(UInt64(byKey.count))
    for (key, total) in byKey {
      for text in [key.meter, key.unit, key.label.product, key.label.environment, key.rate] {
        writer.text(text)
      }
      writer.byte((key.isLevel ? 1 : 0) | (key.isPriced ? 2 : 0))
      writer.half(key.own)
      for value in [
        total.gross, total.grossAmount, total.voided, total.standing, total.standingAmount,
        total.grossRest, total.standingRest,
      ] {
        writer.wide(value)
      }
    }
  }

  /// Takes encoded bytes back; nil for damaged ones and for a format of another version.
  package init?(encoded bytes: [UInt8]) {
    guard bytes.first == Self.formatVersion else { return nil }
    self.init()
    let isWhole = bytes.withUnsafeBytes { raw in
      var reader = FactReader(raw)
      _ = reader.byte()
      read(from: &reader)
      return !reader.isDamaged && reader.isAtEnd
    }
    guard isWhole else { return nil }
  }

  private mutating func read(from reader: inout FactReader) {
    accepted = reader.word()
    duplicates = reader.word()
    conflicts = reader.word()
    rejected = reader.word()
    quarantineDropped = reader.word()
    lastEvent = Int64(bitPattern: reader.word())
    floor = Int64(bitPattern: reader.word())
    waitingReadings = Int64(bitPattern: reader.word())
    quarantineBytes = Int64(bitPattern: reader.word())
    quarantinedEvents = Int64(bitPattern: reader.word())
    lastNotification = Int64(bitPattern: reader.word())
    for _ in 0..<reader.count() {
      let code = reader.byte()
      rejections[code] = reader.varint()
    }
    for _ in 0..<reader.count() {
      let type = reader.byte()
      notifications[type] = reader.varint()
    }
    for _ in 0..<reader.count() {
      let meter = reader.text()
      guards[meter] = reader.wide()
    }
    for _ in 0..<reader.count() {
      let currency = reader.half()
      amountGuards[currency] = reader.wide()
    }
    for _ in 0..<reader.count() {
      let meter = reader.text()
      let unit = reader.text()
      let product = reader.text()
      let label = Label(product: product, environment: reader.text())
      let rate = reader.text()
      let flags = reader.byte()
      let key = TotalKey(
        meter: meter, unit: unit, label: label, isLevel: flags & 1 != 0, rate: rate,
        isPriced: flags & 2 != 0, own: reader.half())
      var total = Total()
      total.gross = reader.wide()
      total.grossAmount = reader.wide()
      total.voided = reader.wide()
      total.standing = reader.wide()
      total.standingAmount = reader.wide()
      total.grossRest = reader.wide()
      total.standingRest = reader.wide()
      byKey[key] = total
    }
  }
}
