import Testing

@testable import Metering

/// Bytes whose sums fit, yet which no program of this format writes: they are named, and nothing of
/// them is believed.
@Suite struct DamagedFactsTests {
  /// A series named "m" and a booking of it, then what is given.
  private static func frame(_ facts: [UInt8]) -> [UInt8] {
    let series: [UInt8] = [FactTag.series.rawValue, 3, 1, 0, 0x6D]
    let booking: [UInt8] =
      [FactTag.booking.rawValue, 0, 0] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0]
    return series + booking + facts
  }

  /// An event booked to "t", with readings as they follow its head.
  private static func usage(_ rest: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    [FactTag.usage.rawValue, flags] + [UInt8](repeating: 0, count: 24) + [0, 1, 0x74] + rest
  }

  private static func facts(in bytes: [UInt8]) -> Int? {
    var found = 0
    do throws(DamagedFrame) {
      let result = bytes.withUnsafeBytes { body -> Result<Void, DamagedFrame> in
        do throws(DamagedFrame) {
          try FrameWalk.walk(body, address: 7, receivedAt: 0) { _, _ in
            found += 1
            return true
          }
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      try result.get()
      return found
    } catch {
      return nil
    }
  }

  @Test(
    arguments: [
      // One reading of 5 units under the booking.
      ("whole", usage([1, 10]), 1), ("two events", usage([1, 10]) + usage([1, 10]), 2),
      ("an unknown fact", [99], nil), ("no fact", [0], nil),
      ("a booking that isn't there", usage([5, 10]), nil),
      (
        "a series that isn't there",
        [FactTag.booking.rawValue, 9] + [UInt8](repeating: 0, count: 13), nil
      ),
      ("readings beyond the end", usage([200, 1, 1, 10], flags: EventFact.several), nil),
      ("cut within a reading", usage([1]), nil),
      ("cut within the head", Array(usage([]).prefix(9)), nil),
      ("a text beyond the end", [FactTag.mark.rawValue, 255, 255, 255, 255, 15], nil),
      (
        "a number of eleven bytes",
        [FactTag.mark.rawValue] + [UInt8](repeating: 0x80, count: 10) + [0], nil
      ),
      ("a series of no meter", [FactTag.series.rawValue, 1, 0], nil),
      ("a series cut short", [FactTag.series.rawValue, 3, 9, 0, 0x6D], nil),
      (
        "more rejections than bytes",
        [FactTag.rejections.rawValue, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], nil
      ),
    ] as [(String, [UInt8], Int?)])
  func theyAreNamed(_ name: String, _ bytes: [UInt8], _ expected: Int?) {
    #expect(Self.facts(in: Self.frame(bytes)) == expected, "\(name)")
  }

  /// A frame has at most 4,096 facts with a location.
  @Test func moreFactsThanLocationsAreNamed() {
    let one: [UInt8] = [FactTag.quarantine.rawValue, 0] + [UInt8](repeating: 0, count: 9)
    #expect(Self.facts(in: Array([[UInt8]](repeating: one, count: 4_096).joined())) == 4_096)
    #expect(Self.facts(in: Array([[UInt8]](repeating: one, count: 4_097).joined())) == nil)
  }

  @Test func cutTotalsAreNone() {
    var totals = Totals()
    totals.guards = ["m": 5, "n": -1]
    totals.rejections = [3: 300]
    totals.accepted = 7
    let bytes = totals.encode()
    #expect(Totals(encoded: bytes)?.guards == totals.guards)
    let read = (0..<bytes.count).filter { Totals(encoded: Array(bytes[..<$0])) != nil }
    #expect(read == [])
    #expect(Totals(encoded: bytes + [0]) == nil)
  }

  @Test(arguments: [[], [1], [1, 0], [5, 0, 0x6D], [1, 0, 0x6D, 1, 0], [1, 0, 0x6D, 0, 0, 1]])
  func noBytesOfASeriesTrap(_ bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { Series(ifCanonical: $0) } == nil)
  }
}
