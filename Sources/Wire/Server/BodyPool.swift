/// Counts the body bytes of all connections. Large bodies leave a reserve to small ones, and a
/// body is admitted as a whole, so that two half-read ones can't wait for each other.
struct BodyPool: Equatable {
  let capacity: Int
  let reserve: Int
  private(set) var used = 0
  /// The most that was ever used.
  private(set) var most = 0

  init(capacity: Int, reserve: Int) {
    self.capacity = capacity
    self.reserve = reserve
  }

  static func isSmall(_ bytes: Int) -> Bool { bytes <= Limits.smallBodyBytes }

  mutating func take(_ bytes: Int, small: Bool) -> Bool {
    guard used + bytes <= (small ? capacity : capacity - reserve) else { return false }
    used += bytes
    most = max(most, used)
    return true
  }

  mutating func give(_ bytes: Int) {
    precondition(bytes <= used, "more body bytes were given back than taken")
    used -= bytes
  }
}
