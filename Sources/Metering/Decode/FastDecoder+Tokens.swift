extension UnsafeRawPointer {
  @inline(__always) var byte: UInt8 { load(as: UInt8.self) }

  /// The next 8 bytes, the first lowest.
  @inline(__always) var word: UInt64 { UInt64(littleEndian: loadUnaligned(as: UInt64.self)) }
}

extension FastDecoder {
  /// The first place from here on that is no blank.
  @inline(__always) static func blank(_ place: UnsafeRawPointer) -> UnsafeRawPointer {
    _fastPath(place.byte > 0x20) ? place : blanks(place)
  }

  @inline(never) private static func blanks(_ start: UnsafeRawPointer) -> UnsafeRawPointer {
    var place = start
    while place.byte == 0x20 || place.byte == 0x0A || place.byte == 0x0D || place.byte == 0x09 {
      place += 1
    }
    return place
  }

  /// Behind a `null`; nil if there is none.
  @inline(__always) static func null(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
    place.word & 0xFFFF_FFFF == 0x6c6c_756e ? place + 4 : nil
  }

  /// Takes a key, its colon and blanks. Field 0 is any other.
  @inline(__always) static func key(
    _ quote: UnsafeRawPointer
  ) -> (field: UInt32, value: UnsafeRawPointer) {
    guard quote.byte == 0x22 else { return (0, quote) }
    let (field, length) = field(quote + 1)
    let colon = blank(quote + (length &+ 1))
    guard field != 0, colon.byte == 0x3A else { return (0, quote) }
    return (field, blank(colon + 1))
  }

  /// The field whose name and closing quote begin here, and the length of both. Names are compared
  /// as little-endian words: `0x22` is the closing quote.
  @inline(__always) private static func field(
    _ name: UnsafeRawPointer
  ) -> (field: UInt32, length: Int) {
    let word = name.word
    let three = word & 0xFF_FFFF
    let five = word & 0xFF_FFFF_FFFF
    let six = word & 0xFFFF_FFFF_FFFF
    let seven = word & 0xFF_FFFF_FFFF_FFFF
    switch UInt8(truncatingIfNeeded: word) {
    case 0x69 where three == 0x22_6469: return (Fields.id, 3)
    case 0x73 where seven == 0x22_6563_7275_6f73: return (Fields.source, 7)
    case 0x74:
      if five == 0x22_656d_6974 { return (Fields.time, 5) }
      if word == 0x7463_6173_6e61_7274, ends(name + 8) { return (Fields.transaction, 14) }
    case 0x6D where six == 0x2272_6574_656d: return (Fields.meter, 6)
    case 0x71 where word == 0x7974_6974_6e61_7571 && (name + 8).byte == 0x22:
      return (Fields.quantity, 9)
    case 0x61 where word == 0x7475_6269_7274_7461 && (name + 8).word & 0xFF_FFFF == 0x22_7365:
      return (Fields.attributes, 11)
    case 0x75:
      if five == 0x22_7469_6e75 { return (Fields.unit, 5) }
      if six == 0x2265_6761_7375 { return (Fields.usage, 6) }
    case 0x63:
      if five == 0x22_7473_6f63 { return (Fields.cost, 5) }
      if word == 0x7265_6d6f_7473_7563, (name + 8).byte == 0x22 { return (Fields.customer, 9) }
    case 0x6F
    where word == 0x6c61_6e69_6769_726f && (name + 8).word == 0x7463_6173_6e61_7254
      && ends(name + 16):
      return (Fields.chain, 22)
    default: break
    }
    return (0, 0)
  }

  /// Whether `ionId"` comes next.
  @inline(__always) private static func ends(_ place: UnsafeRawPointer) -> Bool {
    place.word & 0xFFFF_FFFF_FFFF == 0x2264_496e_6f69
  }

  /// Takes a string and says where its meaning lies in the text.
  @inline(__always) func string(
    _ quote: UnsafeRawPointer, _ span: inout TextSpan
  ) -> UnsafeRawPointer? {
    guard quote.byte == 0x22 else { return nil }
    let close = Self.plainEnd(quote + 1)
    guard _fastPath(close.byte == 0x22) else { return oddString(quote, &span, isName: false) }
    span = self.span(quote + 1, close)
    return close + 1
  }

  /// The first quote, backslash, control character or byte above 0x7E; 8 bytes at a time. The
  /// lowest flag of a word is exact, as carries only run upwards.
  @inline(__always) static func plainEnd(_ start: UnsafeRawPointer) -> UnsafeRawPointer {
    var place = start
    while true {
      let word = place.word
      let ones: UInt64 = 0x0101_0101_0101_0101
      let quote = (word ^ 0x2222_2222_2222_2222) &- ones
      let slash = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- ones
      let control = word &- 0x2020_2020_2020_2020
      let stops = (quote | slash | control | word | (word &+ ones)) & 0x8080_8080_8080_8080
      if stops != 0 { return place + (stops.trailingZeroBitCount &>> 3) }
      place += 8
    }
  }

  @inline(__always) func span(_ start: UnsafeRawPointer, _ close: UnsafeRawPointer) -> TextSpan {
    TextSpan(
      offset: UInt32(truncatingIfNeeded: start - base),
      length: UInt32(truncatingIfNeeded: close - start))
  }

  /// Takes a string with escapes or unusual bytes.
  @inline(never) func oddString(
    _ quote: UnsafeRawPointer, _ span: inout TextSpan, isName: Bool
  ) -> UnsafeRawPointer? {
    var reader = JSONReader(UnsafeRawBufferPointer(start: quote, count: end - quote))
    guard let json = try? reader.readString() else { return nil }
    if json.isEscaped {
      span = text.pointee.commit(json.unescape(into: text.pointee.reserve(json.count)))
    } else {
      span = self.span(json.start, json.start + json.count)
    }
    if isName, EventDecoder.hasControls(text.pointee.buffer(span)) { return nil }
    return reader.place
  }

  /// Takes an id, source or subject.
  @inline(__always) func name(
    _ quote: UnsafeRawPointer, _ span: inout TextSpan, mayBeEmpty: Bool
  ) -> UnsafeRawPointer? {
    guard quote.byte == 0x22 else { return nil }
    let close = Self.plainEnd(quote + 1)
    var next: UnsafeRawPointer? = close + 1
    if _fastPath(close.byte == 0x22) {
      span = self.span(quote + 1, close)
    } else {
      next = oddString(quote, &span, isName: true)
    }
    guard span.length <= Limits.nameBytes, span.length > 0 || mayBeEmpty else { return nil }
    return next
  }

  /// Takes a meter or unit.
  @inline(__always) func label(
    _ quote: UnsafeRawPointer, _ span: inout TextSpan
  ) -> UnsafeRawPointer? {
    let next = string(quote, &span)
    return span.length <= Limits.nameBytes ? next : nil
  }

  @inline(__always) func time(
    _ quote: UnsafeRawPointer, _ time: inout Int64
  ) -> UnsafeRawPointer? {
    guard quote.byte == 0x22 else { return nil }
    if let next = days.time(quote + 1, &time) { return next }
    let close = Self.plainEnd(quote + 1)
    guard close.byte == 0x22,
      let instant = Instant(
        rfc3339: UnsafeRawBufferPointer(start: quote + 1, count: close - quote - 1))
    else { return nil }
    time = instant.microseconds
    days.remember(quote + 1, close, time)
    return close + 1
  }
}
