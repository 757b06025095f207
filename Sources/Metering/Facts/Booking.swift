/// What a frame-local booking number stands for.
struct Booking: Hashable {
  var series: Int
  var isLevel: Bool
  /// Start of the price epoch, microseconds; `Int64.min` for the first.
  var epoch: Int64
  var label: Label
  var unit: ByteString
  /// `price|per|currency` of the rate at booking; empty when there is none.
  var rate: ByteString
  /// Whether the meter has rates at all, so that no rate means unpriced.
  var isPriced: Bool
  /// Whether the configuration names no such product, so that the totals, which are few, hold it
  /// with all others of the kind.
  var isOther = false
  /// Parts of 10^-15 that own costs count: more than one for what the division of one left.
  var parts: Int128 = 1

  // On disk.
  static let level: UInt8 = 1
  static let priced: UInt8 = 2
  static let other: UInt8 = 4
  static let fraction: UInt8 = 8
}
