/// Reads decimal text exactly into a scaled integer, never through binary floating point.
enum DecimalText {
  enum Fault: Error { case malformed, tooManyDigits }

  /// `-?digits(.digits)?([eE][+-]?digits)?`, leading zeros allowed, as value × 10^decimals.
  ///
  /// The value must be below 10^18. A text with more decimals than asked for is rounded half to
  /// even if `roundingExcess`, else too long, also where all of them are zeros. `decimals` is at
  /// most 18, so that the result fits.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, decimals: Int, roundingExcess: Bool
  ) -> Result<Int128, Fault> {
    guard let parts = Parts(bytes) else { return .failure(.malformed) }
    guard roundingExcess || parts.fraction.count - parts.exponent <= decimals else {
      return .failure(.tooManyDigits)
    }
    var magnitude: UInt128 = 0
    var isFirst = true
    // The power of ten of the next digit, in units of the last decimal kept.
    var weight = parts.integer.count + parts.exponent - 1 + decimals
    var lastWeight = weight + 1
    var dropped: Dropped = .nothing
    for digits in [parts.integer, parts.fraction] {
      for index in digits {
        let digit = bytes[index] - 0x30
        if isFirst, digit == 0 {
          weight -= 1
          lastWeight = weight + 1
          continue
        }
        if isFirst, weight >= decimals + 18 { return .failure(.tooManyDigits) }
        isFirst = false
        if weight >= 0 {
          magnitude = magnitude * 10 + UInt128(digit)
          lastWeight = weight
        } else {
          dropped.include(digit, isFirstDropped: weight == -1)
        }
        weight -= 1
      }
    }
    if isFirst { return .success(0) }
    if lastWeight > 0, magnitude > 0 {
      for _ in 0..<lastWeight { magnitude *= 10 }
    }
    if dropped != .nothing {
      guard roundingExcess else { return .failure(.tooManyDigits) }
      if dropped == .aboveHalf || (dropped == .half && magnitude & 1 == 1) { magnitude += 1 }
      if magnitude >= powerOfTen(decimals + 18) { return .failure(.tooManyDigits) }
    }
    return .success(parts.isNegative ? -Int128(magnitude) : Int128(magnitude))
  }

  static func powerOfTen(_ exponent: Int) -> UInt128 {
    var power: UInt128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  /// What was cut off, against half a unit of the last decimal kept.
  private enum Dropped {
    case nothing, belowHalf, half, aboveHalf

    mutating func include(_ digit: UInt8, isFirstDropped: Bool) {
      if isFirstDropped {
        self =
          digit > 5 ? .aboveHalf : digit == 5 ? .half : digit == 0 ? .nothing : .belowHalf
      } else if digit != 0 {
        if self == .nothing { self = .belowHalf }
        if self == .half { self = .aboveHalf }
      }
    }
  }
}

extension DecimalText {
  /// Where the parts of a decimal's text are.
  struct Parts {
    var isNegative: Bool
    var integer: Range<Int>
    var fraction: Range<Int>
    /// Clamped to ±10^9: texts are shorter than that, so the meaning stays.
    var exponent: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      var index = 0
      func digits() -> Range<Int> {
        let first = index
        while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
        return first..<index
      }
      isNegative = bytes.first == 0x2D
      if isNegative { index = 1 }
      integer = digits()
      guard !integer.isEmpty else { return nil }
      fraction = index..<index
      exponent = 0
      if index < bytes.count, bytes[index] == 0x2E {
        index += 1
        fraction = digits()
        guard !fraction.isEmpty else { return nil }
      }
      if index < bytes.count, bytes[index] | 0x20 == 0x65 {
        index += 1
        let isBelow = index < bytes.count && bytes[index] == 0x2D
        if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B { index += 1 }
        let range = digits()
        guard !range.isEmpty else { return nil }
        for place in range {
          exponent = min(exponent * 10 + Int(bytes[place] - 0x30), 1_000_000_000)
        }
        if isBelow { exponent = -exponent }
      }
      guard index == bytes.count else { return nil }
    }
  }

  /// The shortest exact decimal of raw / 10^decimals.
  static func print(_ raw: Int128, decimals: Int) -> String {
    var digits = Array(String(raw.magnitude).utf8)
    if digits.count <= decimals {
      digits = Array(repeating: 0x30, count: decimals + 1 - digits.count) + digits
    }
    let point = digits.count - decimals
    var end = digits.count
    while end > point, digits[end - 1] == 0x30 { end -= 1 }
    var text: [UInt8] = raw < 0 ? [0x2D] : []
    text += digits[..<point]
    if end > point {
      text.append(0x2E)
      text += digits[point..<end]
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension DecimalText {
  /// The shortest exact decimal without exponent: `1e2` is `100`, `-0.50` is `-0.5`, `-0` is `0`.
  /// nil for what is no decimal or would take more bytes than the limit.
  static func canonical(_ bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
    guard let parts = Parts(bytes) else { return nil }
    let all = [parts.integer, parts.fraction].flatMap { $0.map { bytes[$0] } }
    guard let first = all.firstIndex(where: { $0 != 0x30 }),
      let last = all.lastIndex(where: { $0 != 0x30 })
    else { return [0x30] }
    let digits = all[first...last]
    // Digits before the point; negative for zeros behind it.
    let point = parts.integer.count + parts.exponent - first
    guard abs(point) <= limit, digits.count <= limit else { return nil }
    var text: [UInt8] = parts.isNegative ? [0x2D] : []
    if point <= 0 {
      text += [0x30, 0x2E] + Array(repeating: 0x30, count: -point) + digits
    } else if point >= digits.count {
      text += digits + Array(repeating: 0x30, count: point - digits.count)
    } else {
      text += digits.prefix(point) + [0x2E] + digits.dropFirst(point)
    }
    return text.count <= limit ? text : nil
  }

  /// Reads what quantities mostly look like: up to 18 digits, perhaps a point and up to 9 more,
  /// as value × 10^9. nil for anything else, which ``parse(_:decimals:roundingExcess:)`` may know.
  @inline(__always) static func parsePlain(_ bytes: UnsafeRawBufferPointer) -> Int128? {
    guard let base = bytes.baseAddress else { return nil }
    let count = bytes.count
    guard count <= 28 else { return nil }
    var integer: UInt64 = 0
    var index = 0
    while index < count {
      let digit = base.load(fromByteOffset: index, as: UInt8.self) &- 0x30
      if digit > 9 { break }
      integer = integer &* 10 &+ UInt64(digit)
      index &+= 1
    }
    guard index > 0, index <= 18 else { return nil }
    let whole = Int128(integer) &* 1_000_000_000
    if index == count { return whole }
    guard base.load(fromByteOffset: index, as: UInt8.self) == 0x2E else { return nil }
    index &+= 1
    var left = 9
    var fraction: UInt64 = 0
    guard index < count, count &- index <= left else { return nil }
    while index < count {
      let digit = base.load(fromByteOffset: index, as: UInt8.self) &- 0x30
      if digit > 9 { return nil }
      fraction = fraction &* 10 &+ UInt64(digit)
      index &+= 1
      left &-= 1
    }
    while left > 0 {
      fraction = fraction &* 10
      left &-= 1
    }
    return whole &+ Int128(fraction)
  }
}
