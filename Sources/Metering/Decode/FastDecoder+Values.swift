extension FastDecoder {
  /// Takes a quantity: here up to 18 digits, anything else out of line.
  @inline(__always) func quantity(
    _ start: UnsafeRawPointer, _ reading: inout ReadingDraft
  ) -> UnsafeRawPointer? {
    let isString = start.byte == 0x22
    reading.quantityWasNumber = !isString
    let first = isString ? start + 1 : start
    var place = first
    var value: UInt64 = 0
    while place.byte &- 0x30 <= 9 {
      value = value &* 10 &+ UInt64(place.byte &- 0x30)
      place += 1
    }
    let count = place - first
    guard count > 0, count <= 18, first.byte != 0x30 || count == 1, place.byte != 0x2E,
      isString == (place.byte == 0x22), place.byte | 0x20 != 0x65
    else { return oddQuantity(start, &reading) }
    reading.quantity = Int128(value) &* 1_000_000_000
    return isString ? place + 1 : place
  }

  @inline(never) private func oddQuantity(
    _ start: UnsafeRawPointer, _ reading: inout ReadingDraft
  ) -> UnsafeRawPointer? {
    guard let (bytes, next) = decimalText(start) else { return nil }
    if let plain = DecimalText.parsePlain(bytes) {
      reading.quantity = plain
      return next
    }
    guard bytes.first != 0x2D,
      case .success(let raw) = DecimalText.parse(
        bytes, decimals: 9, roundingExcess: reading.quantityWasNumber)
    else { return nil }
    reading.quantity = raw
    return next
  }

  /// Takes a number, or a string that may be one.
  private func decimalText(
    _ start: UnsafeRawPointer
  ) -> (bytes: UnsafeRawBufferPointer, next: UnsafeRawPointer)? {
    if start.byte == 0x22 {
      let close = Self.plainEnd(start + 1)
      guard close.byte == 0x22 else { return nil }
      return (UnsafeRawBufferPointer(start: start + 1, count: close - start - 1), close + 1)
    }
    var reader = JSONReader(UnsafeRawBufferPointer(start: start, count: end - start))
    guard let bytes = try? reader.readNumber() else { return nil }
    return (bytes, reader.place)
  }

  /// Takes a reading's own cost.
  @inline(never) func cost(
    _ start: UnsafeRawPointer, _ reading: inout ReadingDraft
  ) -> UnsafeRawPointer? {
    guard start.byte == 0x7B else { return nil }
    var place = start
    var amount: Int128?
    var currency: UInt32?
    repeat {
      let quote = Self.blank(place + 1)
      guard quote.byte == 0x22 else { return nil }
      // `amount"` and `currency"`, as for the fields of an event.
      let word = (quote + 1).word
      let isAmount = word & 0xFF_FFFF_FFFF_FFFF == 0x22_746e_756f_6d61
      let isCurrency = word == 0x7963_6e65_7272_7563 && (quote + 9).byte == 0x22
      guard isAmount ? amount == nil : isCurrency && currency == nil else { return nil }
      let colon = Self.blank(quote + (isAmount ? 8 : 10))
      guard colon.byte == 0x3A else { return nil }
      let value = Self.blank(colon + 1)
      if isAmount {
        guard let (bytes, next) = decimalText(value), bytes.first != 0x2D,
          case .success(let raw) = DecimalText.parse(
            bytes, decimals: 15, roundingExcess: value.byte != 0x22)
        else { return nil }
        amount = raw
        place = Self.blank(next)
      } else {
        guard let code = Self.currency(value) else { return nil }
        currency = code
        place = Self.blank(value + 5)
      }
    } while place.byte == 0x2C
    guard place.byte == 0x7D, let amount, let currency else { return nil }
    reading.hasCost = true
    reading.cost = amount
    reading.currency = currency
    return place + 1
  }

  /// A currency's code between quotes.
  private static func currency(_ quote: UnsafeRawPointer) -> UInt32? {
    guard quote.byte == 0x22 else { return nil }
    var code: UInt32 = 0
    for offset in 1...3 {
      let letter = (quote + offset).byte
      guard letter >= 0x41, letter <= 0x5A else { return nil }
      code = code << 8 | UInt32(letter)
    }
    return (quote + 4).byte == 0x22 && Currency.isCode(packed: code) ? code : nil
  }

  /// Takes what is the attributes' text if its first closing brace is theirs.
  @inline(__always) func attributesText(
    _ start: UnsafeRawPointer, _ reading: inout ReadingDraft
  ) -> UnsafeRawPointer? {
    guard start.byte == 0x7B else { return nil }
    var place = start
    var hash: UInt64 = 0
    while place < end {
      let word = place.word
      let brace = word ^ 0x7D7D_7D7D_7D7D_7D7D
      // The lowest flag is exact, as carries only run upwards.
      let stops = (brace &- 0x0101_0101_0101_0101) & ~brace & 0x8080_8080_8080_8080
      if stops == 0 {
        hash = ShapeMemo.mixed(hash, word)
        place += 8
        continue
      }
      let bits = UInt64(truncatingIfNeeded: stops.trailingZeroBitCount)
      hash = ShapeMemo.mixed(hash, word &<< (63 &- bits))
      place += Int(truncatingIfNeeded: bits &>> 3) &+ 1
      guard place <= end else { return nil }
      reading.attributesText = span(start, place)
      reading.attributesHash = hash
      return place
    }
    return nil
  }

  /// Takes attributes into the slots.
  @inline(never) func attributes(
    _ start: UnsafeRawPointer, _ count: inout Int
  ) -> UnsafeRawPointer? {
    guard start.byte == 0x7B else { return nil }
    var place = Self.blank(start + 1)
    if place.byte == 0x7D { return place + 1 }
    place = start
    var taken = 0
    let sorted = AttributeSlots(slots: slots, text: text)
    repeat {
      guard taken < Limits.attributesPerReading else { return nil }
      var slot = AttributeSlot(key: TextSpan(), value: TextSpan(), type: AttributeSlot.string)
      guard let behindKey = string(Self.blank(place + 1), &slot.key) else { return nil }
      let colon = Self.blank(behindKey)
      guard colon.byte == 0x3A else { return nil }
      let value = Self.blank(colon + 1)
      let next = value.byte == 0x22 ? string(value, &slot.value) : scalar(value, &slot)
      guard let next, slot.key.length <= Limits.nameBytes, slot.value.length <= Limits.nameBytes,
        sorted.insert(slot, count: taken)
      else { return nil }
      taken &+= 1
      place = Self.blank(next)
    } while place.byte == 0x2C
    guard place.byte == 0x7D else { return nil }
    count = taken
    return place + 1
  }

  /// Takes a boolean, or a number without exponent: its decimal is no longer than its text.
  @inline(never) private func scalar(
    _ start: UnsafeRawPointer, _ slot: inout AttributeSlot
  ) -> UnsafeRawPointer? {
    let isTrue = start.byte == 0x74
    if isTrue || start.byte == 0x66 {
      let length = isTrue ? 4 : 5
      let word = start.word & (isTrue ? 0xFFFF_FFFF : 0xFF_FFFF_FFFF)
      guard word == (isTrue ? 0x6575_7274 : 0x65_736c_6166) else { return nil }
      slot.value = span(start, start + length)
      slot.type = AttributeSlot.boolean
      return start + length
    }
    guard start.byte == 0x2D || start.byte &- 0x30 <= 9,
      let (bytes, next) = decimalText(start),
      !bytes.contains(where: { $0 | 0x20 == 0x65 })
    else { return nil }
    slot.type = AttributeSlot.number
    if bytes.allSatisfy({ $0 &- 0x30 <= 9 }) {
      slot.value = span(start, next)
      return next
    }
    guard let plain = DecimalText.canonical(bytes, limit: Limits.nameBytes) else { return nil }
    slot.value = plain.withUnsafeBytes { text.pointee.append($0) }
    return next
  }
}
