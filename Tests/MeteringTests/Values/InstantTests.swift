import Metering
import Testing

@Suite struct InstantTests {
  static let good: [(String, String)] = [
    ("2026-11-30T02:21:39.123Z", "2026-11-30T02:21:39.123000Z"),
    ("2026-11-30t02:21:39z", "2026-11-30T02:21:39.000000Z"),
    ("2024-02-29T00:00:00+05:30", "2024-02-28T18:30:00.000000Z"),
    ("2000-02-29T23:59:59.999999999-00:00", "2000-02-29T23:59:59.999999Z"),
    ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ("9999-12-31T23:59:59.5Z", "9999-12-31T23:59:59.500000Z"),
  ]

  @Test(arguments: good) func reads(_ text: String, _ printed: String) {
    #expect(Instant(rfc3339: ByteString(text))?.description == printed)
  }

  static let bad = [
    "", "2026-11-30", "2026-11-30T02:21:39", "2026-11-30T02:21Z", "2026-11-30 02:21:39Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
    "2026-06-30T23:59:60Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00.1",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-01-01T00:00:00,5Z",
  ]

  @Test(arguments: bad) func refuses(_ text: String) {
    #expect(Instant(rfc3339: ByteString(text)) == nil)
  }

  @Test func everyDayRoundTrips() {
    var wrong = 0
    for day in stride(from: Int64(-719_162), through: 2_932_896, by: 97) {
      let instant = Instant(microseconds: day * 86_400_000_000 + 1)
      if Instant(rfc3339: ByteString(instant.description)) != instant { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func monthsClampAndNeverChain() throws {
    let anchor = try #require(Instant(rfc3339: "2026-01-31T10:00:00Z"))
    let month = try #require(CalendarDuration(iso8601: "P1M"))
    let days = (-2...3).map { month.boundary($0, from: anchor).description.prefix(10) }
    #expect(
      days == ["2025-11-30", "2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"])
    let leap = try #require(Instant(rfc3339: "2024-02-29T00:00:00Z"))
    #expect(leap.adding(months: 12).description.hasPrefix("2025-02-28"))
    #expect(Instant.distantFuture.adding(months: -1) == .distantFuture)
    #expect(month.boundary(.max, from: anchor) == .distantFuture)
  }

  static let durations: [(String, Int64?)] = [
    ("P30D", 2_592_000), ("PT12H", 43_200), ("P1W", 604_800), ("P1DT1H1M1S", 90_061), ("P0D", nil),
    ("P", nil), ("PT", nil), ("P1", nil), ("1D", nil), ("P1D1Y", nil), ("P-1D", nil),
    ("P1.5D", nil),
    ("P1H", nil), ("PT1D", nil), ("P1YT", nil), ("P99999999999999999999D", nil),
  ]

  @Test(arguments: durations) func readsDurations(_ text: String, _ seconds: Int64?) {
    let duration = CalendarDuration(iso8601: ByteString(text))
    let end = duration?.boundary(1, from: Instant(microseconds: 0))
    #expect(end?.microseconds == seconds.map { $0 * 1_000_000 })
  }
}
