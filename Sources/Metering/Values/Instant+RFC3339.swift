extension Instant {
  /// Reads an RFC 3339 timestamp: offset required, at most 9 decimals (floored to the
  /// microsecond), years 0001 to 9999 both as written and in UTC, real dates of the calendar.
  /// There is no leap second. nil for anything else.
  package init?(rfc3339 bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count >= 20 else { return nil }
    let text = DigitText(base: base, count: bytes.count)
    // `0000-00-`, `00t00:00` and `:00` become digits and zeros.
    let date = text.word(0) ^ 0x2d30_302d_3030_3030
    let clock = (text.word(8) | 0x20_0000) ^ 0x3030_3a30_3074_3030
    let end = (text.word(12) &>> 32 & 0xFF_FFFF) ^ 0x30_303a
    // The high bit of each byte that is over 9, or over 0 where a separator was.
    let faults =
      (date | (date &+ 0x7f76_767f_7676_7676)) | (clock | (clock &+ 0x7676_7f76_767f_7676))
      | (end | (end &+ 0x76_767f))
    guard faults & 0x8080_8080_8080_8080 == 0 else { return nil }
    let dates = Self.pairs(date)
    let clocks = Self.pairs(clock)
    let year = Int64(dates & 0xFF) &* 100 &+ Int64(dates &>> 16 & 0xFF)
    let month = Int64(dates &>> 40 & 0xFF)
    let day = Int64(clocks & 0xFF)
    let hour = Int64(clocks &>> 24 & 0xFF)
    let minute = Int64(clocks &>> 48 & 0xFF)
    let second = Int64(Self.pairs(end) &>> 8 & 0xFF)
    guard year >= 1, month >= 1, month <= 12, day >= 1, hour <= 23, minute <= 59, second <= 59,
      day <= 28 || day <= CivilDate.days(inMonth: month, of: year)
    else { return nil }

    var position = 19
    var fraction: Int64 = 0
    if text[position] == 0x2E {
      position += 1
      let first = position
      var scale: Int64 = 100_000
      while position < text.count, let digit = text.digit(position) {
        fraction += digit * scale  // beyond the sixth decimal the scale is 0: floored
        scale /= 10
        position += 1
      }
      guard position > first, position - first <= 9, position < text.count else { return nil }
    }
    guard let offset = text.offsetSeconds(position) else { return nil }

    // Days since 0000-03-01 of years that begin in March; all terms are positive.
    let shifted = UInt64(bitPattern: month <= 2 ? year &- 1 : year)
    let dayOfYear = (153 &* UInt64(bitPattern: month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5
    let days = shifted &* 365 &+ shifted / 4 &- shifted / 100 &+ shifted / 400 &+ dayOfYear
    let sinceEpoch = Int64(bitPattern: days) &+ day &- 1 &- 719_468
    let seconds = sinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
    guard seconds >= Self.firstSecond, seconds <= Self.lastSecond else { return nil }
    self.init(microseconds: seconds * 1_000_000 + fraction)
  }

  /// Each byte times 10 plus the next one.
  @inline(__always) private static func pairs(_ digits: UInt64) -> UInt64 {
    digits &* 10 &+ (digits &>> 8)
  }

  /// The same for bytes that are kept.
  package init?(rfc3339 text: ByteString) {
    guard let instant = text.bytes.withUnsafeBytes({ Instant(rfc3339: $0) }) else { return nil }
    self = instant
  }

  /// 0001-01-01T00:00:00Z, the first second that can be written.
  private static let firstSecond: Int64 = -62_135_596_800
  /// 9999-12-31T23:59:59Z, the last second that can be written.
  private static let lastSecond: Int64 = 253_402_300_799
}

extension Instant: CustomStringConvertible {
  /// RFC 3339 in UTC, always with 6 decimals: `2026-11-30T02:30:00.000000Z`.
  package var description: String {
    let day = microseconds.flooredQuotient(by: Self.microsecondsPerDay)
    // Not day * perDay: for the distant past that product is below Int64.min.
    let remainder = microseconds % Self.microsecondsPerDay
    let timeOfDay = remainder < 0 ? remainder + Self.microsecondsPerDay : remainder
    let date = CivilDate(daysSinceEpoch: day)
    let second = timeOfDay / 1_000_000
    var text: [UInt8] = []
    text.reserveCapacity(27)
    if date.year < 0 { text.append(0x2D) }
    text.append(padded: UInt64(date.year.magnitude), width: 4)
    text.append(0x2D)
    text.append(padded: UInt64(date.month), width: 2)
    text.append(0x2D)
    text.append(padded: UInt64(date.day), width: 2)
    text.append(0x54)
    text.append(padded: UInt64(second / 3600), width: 2)
    text.append(0x3A)
    text.append(padded: UInt64(second / 60 % 60), width: 2)
    text.append(0x3A)
    text.append(padded: UInt64(second % 60), width: 2)
    text.append(0x2E)
    text.append(padded: UInt64(timeOfDay % 1_000_000), width: 6)
    text.append(0x5A)
    return String(decoding: text, as: UTF8.self)
  }
}

/// Reads digits at fixed places; indices are checked by the caller against `count`.
private struct DigitText {
  let base: UnsafeRawPointer
  let count: Int

  subscript(_ index: Int) -> UInt8 {
    @inline(__always) get { base.load(fromByteOffset: index, as: UInt8.self) }
  }

  /// 8 bytes, the first lowest.
  @inline(__always) func word(_ index: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(__always) func digit(_ index: Int) -> Int64? {
    let value = self[index] &- 0x30
    return value <= 9 ? Int64(value) : nil
  }

  @inline(__always) func two(_ index: Int) -> Int64? {
    let tens = self[index] &- 0x30
    let ones = self[index + 1] &- 0x30
    return tens <= 9 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : nil
  }

  /// `Z` or `±hh:mm` that ends the text; seconds east of UTC.
  @inline(__always) func offsetSeconds(_ index: Int) -> Int64? {
    let sign = self[index]
    if sign | 0x20 == 0x7A { return index + 1 == count ? 0 : nil }
    guard sign == 0x2B || sign == 0x2D, index + 6 == count, let hours = two(index + 1),
      self[index + 3] == 0x3A, let minutes = two(index + 4), hours <= 23, minutes <= 59
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == 0x2D ? -seconds : seconds
  }
}

extension [UInt8] {
  /// Appends decimal digits, with zeros in front up to the width.
  mutating func append(padded value: UInt64, width: Int) {
    let digits = String(value).utf8
    for _ in digits.count..<Swift.max(width, digits.count) { append(0x30) }
    append(contentsOf: digits)
  }
}
