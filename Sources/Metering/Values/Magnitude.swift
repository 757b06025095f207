/// Arithmetic on magnitudes of any length: little-endian words of 32 bits, without leading zero
/// words where they are taken in.
enum Magnitude {
  static func product(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    var words = [UInt32](repeating: 0, count: left.count + right.count)
    for (index, one) in left.enumerated() {
      var carry: UInt64 = 0
      for (offset, two) in right.enumerated() {
        let value = UInt64(one) * UInt64(two) + UInt64(words[index + offset]) + carry
        words[index + offset] = UInt32(truncatingIfNeeded: value)
        carry = value >> 32
      }
      words[index + right.count] = UInt32(carry)
    }
    return words
  }

  static func precedes(_ left: [UInt32], _ right: [UInt32]) -> Bool {
    if left.count != right.count { return left.count < right.count }
    for (one, two) in zip(left.reversed(), right.reversed()) where one != two { return one < two }
    return false
  }

  static func sum(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    var words: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? UInt64(left[index]) : 0
      let two = index < right.count ? UInt64(right[index]) : 0
      let value = one + two + carry
      words.append(UInt32(truncatingIfNeeded: value))
      carry = value >> 32
    }
    words.append(UInt32(carry))
    return words
  }

  /// left − right, where left isn't smaller.
  static func difference(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
    var words: [UInt32] = []
    var borrow: Int64 = 0
    for index in left.indices {
      let two = index < right.count ? Int64(right[index]) : 0
      var value = Int64(left[index]) - two - borrow
      borrow = value < 0 ? 1 : 0
      if value < 0 { value += 1 << 32 }
      words.append(UInt32(value))
    }
    return words
  }

  /// Knuth's algorithm D: digits of 32 bits, each guessed from the leading ones and mended.
  static func divide(_ left: [UInt32], _ right: [UInt32]) -> ([UInt32], [UInt32]) {
    if precedes(left, right) { return ([], left) }
    if right.count == 1 {
      let (quotient, rest) = divide(left, by: right[0])
      return (quotient, rest == 0 ? [] : [rest])
    }
    let shift = UInt32(right[right.count - 1].leadingZeroBitCount)
    let divisor = shifted(right, left: shift)
    let count = right.count
    var rest = shifted(left + [0], left: shift)
    var quotient = [UInt32](repeating: 0, count: left.count - count + 1)
    for place in quotient.indices.reversed() {
      let leading = UInt64(rest[place + count]) << 32 | UInt64(rest[place + count - 1])
      var digit = leading / UInt64(divisor[count - 1])
      var remainder = leading % UInt64(divisor[count - 1])
      while digit >> 32 != 0
        || digit * UInt64(divisor[count - 2]) > remainder << 32 | UInt64(rest[place + count - 2])
      {
        digit -= 1
        remainder += UInt64(divisor[count - 1])
        if remainder >> 32 != 0 { break }
      }
      if subtract(divisor, times: digit, from: &rest, at: place) {
        digit -= 1
        add(divisor, to: &rest, at: place)
      }
      quotient[place] = UInt32(digit)
    }
    return (quotient, shifted(rest, right: shift))
  }

  /// Whether it went below zero: then the top word has wrapped and `divisor` is to be added again.
  private static func subtract(
    _ divisor: [UInt32], times digit: UInt64, from words: inout [UInt32], at place: Int
  ) -> Bool {
    var carry: UInt64 = 0
    var borrow: Int64 = 0
    for index in divisor.indices {
      let product = digit * UInt64(divisor[index]) + carry
      carry = product >> 32
      let value = Int64(words[place + index]) - Int64(product & 0xFFFF_FFFF) - borrow
      words[place + index] = UInt32(truncatingIfNeeded: value)
      borrow = value < 0 ? 1 : 0
    }
    let value = Int64(words[place + divisor.count]) - Int64(carry) - borrow
    words[place + divisor.count] = UInt32(truncatingIfNeeded: value)
    return value < 0
  }

  private static func add(_ divisor: [UInt32], to words: inout [UInt32], at place: Int) {
    var carry: UInt64 = 0
    for index in divisor.indices {
      let value = UInt64(words[place + index]) + UInt64(divisor[index]) + carry
      words[place + index] = UInt32(truncatingIfNeeded: value)
      carry = value >> 32
    }
    words[place + divisor.count] &+= UInt32(carry)
  }

  /// The same number of words; bits beyond the last are lost. `count` is below 32.
  private static func shifted(_ words: [UInt32], left count: UInt32) -> [UInt32] {
    if count == 0 { return words }
    var carry: UInt32 = 0
    return words.map { word in
      defer { carry = word >> (32 - count) }
      return word << count | carry
    }
  }

  private static func shifted(_ words: [UInt32], right count: UInt32) -> [UInt32] {
    if count == 0 { return words }
    return words.indices.map { index in
      let above = index + 1 < words.count ? words[index + 1] << (32 - count) : 0
      return words[index] >> count | above
    }
  }

  static func divide(_ left: [UInt32], by divisor: UInt32) -> ([UInt32], UInt32) {
    var quotient = left
    var rest: UInt64 = 0
    for index in left.indices.reversed() {
      let value = rest << 32 | UInt64(left[index])
      quotient[index] = UInt32(value / UInt64(divisor))
      rest = value % UInt64(divisor)
    }
    return (quotient, UInt32(rest))
  }
}
