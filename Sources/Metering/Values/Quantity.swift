/// An amount of something metered: an exact decimal with up to 9 places.
package struct Quantity: Hashable, Comparable, Sendable {
  /// The value times 10^9.
  package var raw: Int128

  /// The value times 10^9.
  package init(raw: Int128) {
    self.raw = raw
  }

  /// What ``raw`` is multiplied by.
  package static let scale: Int128 = 1_000_000_000

  /// Why a text is no quantity.
  package enum Fault: Error, Equatable, Sendable {
    /// Not a finite decimal number.
    case malformed
    /// 18 digits before or 9 after the point are not enough.
    case tooManyDigits
  }

  /// Reads a decimal as JSON writes numbers, exponents and leading zeros allowed, at most 18 digits
  /// before and 9 after the point (trailing zeros don't count). With `roundingExcess` more decimals
  /// are rounded half to even.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, roundingExcess: Bool
  ) -> Result<Quantity, Fault> {
    switch DecimalText.parse(bytes, decimals: 9, roundingExcess: roundingExcess) {
    case .success(let raw): .success(Quantity(raw: raw))
    case .failure(.malformed): .failure(.malformed)
    case .failure(.tooManyDigits): .failure(.tooManyDigits)
    }
  }

  /// The same for bytes that are kept.
  package static func parse(
    _ text: ByteString, roundingExcess: Bool
  ) -> Result<Quantity, Fault> {
    text.bytes.withUnsafeBytes { parse($0, roundingExcess: roundingExcess) }
  }

  package static func < (left: Quantity, right: Quantity) -> Bool {
    left.raw < right.raw
  }
}

extension Quantity: CustomStringConvertible {
  /// The shortest exact decimal: `4000`, `0.5`, `-1.25`.
  package var description: String { DecimalText.print(raw, decimals: 9) }
}
