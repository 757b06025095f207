extension Limits {
  /// Bytes of a Unix socket's path: what `sockaddr_un` holds beside its closing zero.
  package static let socketPathBytes = 107
  /// Bytes of the text of a decimal in the configuration: far more than any price has.
  static let decimalBytes = 100
  /// Digits before and after the point of a price, a factor or a share: they are multiplied with
  /// quantities in 128 bits where they can be.
  static let decimalDigits = 18
  /// The same for amounts, which print multiplied out as base units × seconds.
  static let amountDigits = 40
  /// Days of any window, a century: instants that are reckoned from it stay far from overflow.
  static let windowDays = 36_500
}
