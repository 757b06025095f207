import Metering
import Testing

@testable import Sidecar

/// What `outlay top` draws, without a terminal.
@Suite("The top screen") struct TopScreenTests {
  private static let snapshot = TopSnapshot(
    time: at("2026-11-30T02:30:00Z"), acceptedEvents: 1_234_567, openCases: 3,
    standings: [
      .init(environment: "Production", currency: "USD", requested: 12.345, refundable: 1_000)
    ],
    cases: [
      .init(
        secondsLeft: 3_599, cost: "12.35 USD", answer: "DECLINE", reason: "OTHER",
        product: "tokens", transaction: "7001", environment: "Production"),
      .init(
        secondsLeft: 12_000, cost: "–", answer: "not_consented", reason: "LEGAL",
        product: "p\u{1B}[31m", transaction: "7002", environment: "Production"),
    ],
    purchases: [
      .init(
        cost: "12.35 USD", proceeds: "6.99 USD", riskClass: "requested", share: "80 %",
        state: "active", product: "tokens", transaction: "7001",
        customer: "anna", environment: "Production")
    ])

  private static func text(_ columns: Int, rows: Int? = nil, colours: Bool = false) -> String {
    TopScreen(size: .init(columns: columns, rows: rows), hasColours: colours)
      .lines(snapshot, rate: 1_203.4).joined(separator: "\n")
  }

  @Test func aWideOneShowsEverything() {
    #expect(
      Self.text(200)
        == """
        outlay 2026-11-30T02:30:00Z  1,234,567 events, 1,203 a second

        cost at risk
        currency  requested  refundable  realised loss  leak  environment
        USD           12.35    1,000.00           0.00  0.00  Production

        open refund requests (3)
        left              cost  answer         reason  transaction  product  environment
        59 min 59 s  12.35 USD  DECLINE        OTHER   7001         tokens   Production
        3 h 20 min           –  not_consented  LEGAL   7002         p�[31m   Production

        purchases by cost at risk
             cost  proceeds  class      used  transaction  product  state   customer  environment
        12.35 USD  6.99 USD  requested  80 %  7001         tokens   active  anna      Production
        """)
  }

  @Test func aNarrowOneLeavesColumnsOut() {
    #expect(
      Self.text(40) == """
        outlay 2026-11-30T02:30:00Z  1,234,567 …

        cost at risk
        currency  requested  refundable
        USD           12.35    1,000.00

        open refund requests (3)
        left              cost  answer
        59 min 59 s  12.35 USD  DECLINE
        3 h 20 min           –  not_consented

        purchases by cost at risk
             cost  proceeds  class      used
        12.35 USD  6.99 USD  requested  80 %
        """)
  }

  @Test(arguments: [1, 2, 7, 20, 33, 80, 132], [3, 10, 100])
  func neverIsTooLarge(columns: Int, rows: Int) {
    let lines = TopScreen(size: .init(columns: columns, rows: rows), hasColours: false)
      .lines(Self.snapshot, rate: 1, trouble: "can't reach \(String(repeating: "x", count: 200))")
    #expect(lines.count <= rows)
    #expect(lines.allSatisfy { PlainText.width($0) <= columns })
  }

  @Test func urgentCasesAreRed() {
    let lines = Self.text(80, colours: true).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("\u{1B}[31;1m59 min") && $0.hasSuffix("\u{1B}[0m") })
    #expect(lines.contains { $0.hasPrefix("\u{1B}[33m3 h 20 min") })
    #expect(!Self.text(80).contains("\u{1B}"))
  }

  @Test func troubleStandsBesideTheLastFigures() {
    let lines = TopScreen(size: .init(columns: 80, rows: nil), hasColours: false)
      .lines(nil, trouble: "nobody listens\n")
    #expect(lines == ["nobody listens\u{FFFD}"])
  }

  @Test(
    arguments: [
      ("0", "0.00"), ("0.001", "<0.01"), ("-0.001", ">-0.01"), ("0.005", "0.01"),
      ("1234567.895", "1,234,567.90"), ("-12.345", "-12.35"), ("999.994", "999.99"),
    ])
  func amountsAreRounded(exact: ByteString, shown: String) throws {
    #expect(AmountText.rounded(try #require(Fraction(decimal: exact))) == shown)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3_661, "1 h 1 min"), (90_061, "1 d 1 h"),
    ] as [(Int64, String)])
  func timeIsTold(seconds: Int64, shown: String) {
    #expect(AmountText.duration(seconds: seconds) == shown)
  }

  @Test func wideLettersTakeTwoColumns() {
    #expect(PlainText.width("日本") == 4)
    #expect(PlainText.cut("日本語", to: 5) == "日本…")
    #expect(PlainText.cut("日本語", to: 4) == "日…")
  }

  @Test func labelsAreReadWhateverTheyHold() {
    let page = MetricsPage(
      text: """
        # HELP a_total x
        a_total{p="x\\"y\\\\\\n,b=\\"",q="2"} 1.5
        a_total_more{p="z"} 3
        a 4
        """)
    #expect(
      page.samples("a_total") == [.init(labels: ["p": "x\"y\\\n,b=\"", "q": "2"], value: 1.5)])
    #expect(page.samples("a") == [.init(value: 4)])
  }
}
