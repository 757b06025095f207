import Metering
import Testing

@testable import Sidecar

/// What an operator reads of refund requests.
struct CaseLogTests {
  private static let second: UInt64 = 1_000_000_000

  private static func report(_ values: [(RollupKey.Family, ByteString, Int)]) -> RollupReport {
    var sums: [RollupKey: Fraction] = [:]
    for (family, first, count) in values {
      sums[RollupKey(family, first)] = Fraction(Int128(count), scale: 0)
    }
    var report = RollupReport()
    report.update(RollupTotals(sums), sums.keys)
    return report
  }

  @Test func saysWhatCameWhatHoldsItAndWhatWasMissed() {
    var log = CaseLog(Self.report([(.requests, "OTHER", 5), (.missed, "OTHER", 1)]))
    #expect(log.lines(Self.report([(.requests, "OTHER", 5), (.missed, "OTHER", 1)]), now: 0) == [])
    let came = log.lines(
      Self.report([
        (.requests, "OTHER", 6), (.openCases, "not_consented", 1), (.missed, "OTHER", 1),
      ]), now: Self.second)
    #expect(
      came == [
        "refund requests came: 1, reason OTHER",
        "refund requests open: 1, held by not_consented: no consent of the customer is recorded; "
          + "PUT …/consent does",
      ])
    let missed = log.lines(
      Self.report([
        (.requests, "OTHER", 6), (.openCases, "not_consented", 0), (.missed, "OTHER", 2),
      ]), now: 60 * Self.second)
    #expect(missed.count == 2)
    #expect(missed.last?.hasPrefix("refund requests missed: 1, reason OTHER") == true)
  }

  @Test func everyGateIsNamed() {
    for gate in Gate.allCases {
      let name = ByteString(gate.rawValue)
      let lines = CaseLog.standing(Self.report([(.openCases, name, 3)]))
      #expect(lines.count == 1 && lines[0].hasPrefix("refund requests open: 3, held by \(name): "))
    }
    #expect(
      CaseLog.standing(Self.report([(.openCases, RollupKey.none, 2)]))
        == ["refund requests open: 2, which can be answered"])
    #expect(CaseLog.standing(Self.report([(.openCases, RollupKey.none, 0)])) == [])
  }

  @Test func aFloodIsToldTogether() {
    var log = CaseLog(RollupReport())
    let rest = CaseLog.restNanoseconds
    var told: [String] = []
    for step in 1...100 {
      told += log.lines(
        Self.report([(.requests, "OTHER", step)]), now: UInt64(step) * rest / 50)
    }
    #expect(
      told == [
        "refund requests came: 1, reason OTHER", "refund requests came: 50, reason OTHER",
      ])
  }
}
