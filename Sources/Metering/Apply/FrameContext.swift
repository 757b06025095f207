/// Where the frame being applied is, and what it has seen.
struct FrameContext {
  var address: UInt64 = 0
  /// Receipt instant of the frame: event times are written as differences from it.
  var base: Int64 = 0
  var lastEvent: Int64 = .min
  /// Usage facts so far.
  var usage = 0
  private var located = 0

  init() {}

  init(address: UInt64, base: Int64) {
    self.address = address
    self.base = base
  }

  /// The location of the next fact that has one.
  mutating func nextLocation() -> Location {
    defer { located += 1 }
    return Location(address: address, number: located)
  }
}
