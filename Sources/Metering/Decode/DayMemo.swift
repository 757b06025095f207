/// Days in UTC that instants had lately: the next one mostly has one of them, and then only the
/// time of day is read.
struct DayMemo {
  private struct Day {
    /// `2026-11-30T` as it was written, in a word and three bytes; zero at first, which no date is.
    var first: UInt64 = 0
    var second: UInt64 = 0
    /// Microseconds of its midnight.
    var midnight: Int64 = 0
  }

  private let days: UnsafeMutablePointer<Day>

  /// Each day of a month has a place, where that of another month gives way.
  private static let places = 64
  private static let perDay: Int64 = 86_400_000_000

  init() {
    days = .allocate(capacity: Self.places)
    days.initialize(repeating: Day(), count: Self.places)
  }

  func deallocate() { days.deallocate() }

  /// The place of a day from the bytes of its two digits.
  @inline(__always) private static func place(_ digits: UInt64) -> Int {
    Int(truncatingIfNeeded: (digits & 3) &<< 4 | (digits &>> 8 & 15))
  }

  /// Takes `hh:mm:ss.fffZ`, with 3, 6 or no decimals, and the quote behind it, when the same date
  /// comes before; returns what follows the quote. nil asks for the long way.
  @inline(__always)
  func time(_ text: UnsafeRawPointer, _ time: inout Int64) -> UnsafeRawPointer? {
    let digits = (text + 8).word & 0xFF_FFFF
    let day = days + Self.place(digits)
    guard text.word == day.pointee.first, digits == day.pointee.second else { return nil }
    // `00:00:00` becomes digits and zeros.
    let clock = (text + 11).word ^ 0x3030_3a30_303a_3030
    // The high bit of each byte that is over 9, or over 0 where a separator was.
    let faults = clock | (clock &+ 0x7676_7f76_767f_7676)
    let pairs = clock &* 10 &+ (clock &>> 8)
    let hour = pairs & 0xFF
    let minute = pairs &>> 24 & 0xFF
    let second = pairs &>> 48 & 0xFF
    guard faults & 0x8080_8080_8080_8080 == 0, hour <= 23, minute <= 59, second <= 59 else {
      return nil
    }
    guard let (fraction, next) = Self.fraction(text + 19) else { return nil }
    time =
      day.pointee.midnight &+ Int64(truncatingIfNeeded: (hour &* 60 &+ minute) &* 60 &+ second)
      &* 1_000_000
      &+ fraction
    return next
  }

  /// Takes decimals, the `Z` and the quote.
  @inline(__always)
  private static func fraction(
    _ text: UnsafeRawPointer
  ) -> (microseconds: Int64, next: UnsafeRawPointer)? {
    let word = text.word
    // `.000Z"` becomes digits and zeros.
    let short = (word & 0xFFFF_FFFF_FFFF) ^ 0x225a_3030_302e
    if (short | (short &+ 0x7f7f_7676_767f)) & 0x8080_8080_8080 == 0 {
      return (milliseconds(short) &* 1000, text + 6)
    }
    // `.000000Z` and a quote.
    let long = word ^ 0x5a30_3030_3030_302e
    if (long | (long &+ 0x7f76_7676_7676_767f)) & 0x8080_8080_8080_8080 == 0,
      (text + 8).byte == 0x22
    {
      return (milliseconds(long) &* 1000 &+ milliseconds(long &>> 24), text + 9)
    }
    return word & 0xFFFF == 0x225a ? (0, text + 2) : nil
  }

  /// The three digits in the second to fourth byte.
  @inline(__always) private static func milliseconds(_ digits: UInt64) -> Int64 {
    Int64(
      truncatingIfNeeded: (digits &>> 8 & 0xF) &* 100 &+ (digits &>> 16 & 0xF) &* 10
        &+ (digits &>> 24 & 0xF))
  }

  /// Remembers the date of an instant that was read from this text.
  func remember(_ text: UnsafeRawPointer, _ close: UnsafeRawPointer, _ time: Int64) {
    // Another offset than UTC's may mean another day.
    guard (close - 1).byte | 0x20 == 0x7A else { return }
    let digits = (text + 8).word & 0xFF_FFFF
    days[Self.place(digits)] = Day(
      first: text.word, second: digits,
      midnight: time.flooredQuotient(by: Self.perDay) * Self.perDay)
  }
}
