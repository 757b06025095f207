import Metering
import Testing

@testable import Sidecar

/// What anybody can cause fills no disk.
struct RepeatedLinesTests {
  @Test func oneLineAMinuteWithTheNumberOfTheOthers() {
    var lines = RepeatedLines()
    let second: UInt64 = 1_000_000_000
    #expect(lines.line("foreign", example: "a", at: 5 * second) == "foreign: a")
    for at in 6...64 as ClosedRange<UInt64> {
      #expect(lines.line("foreign", example: "b", at: at * second) == nil)
    }
    #expect(lines.line("other", example: "c", at: 64 * second) == "other: c")
    #expect(
      lines.line("foreign", example: "d", at: 65 * second)
        == "foreign: d (and 59 more since the last line of this)")
    #expect(lines.line("foreign", example: "e", at: 124 * second) == nil)
    #expect(lines.line("other", example: "f", at: 125 * second) == "other: f")
  }

  @Test func payloadsAreToldApartByTheirSignatures() {
    func payload(_ number: Int) -> ByteString {
      let digits = String(number)
      return ByteString("same.same." + String(repeating: "A", count: 86 - digits.count) + digits)
    }
    var known = KnownPayloads(capacity: 3)
    for number in 1...3 {
      #expect(!known.contains(payload(number)))
      known.insert(payload(number))
      #expect(known.contains(payload(number)))
    }
    known.insert(payload(4))
    #expect(known.contains(payload(4)) && !known.contains(payload(1)))
  }
}
