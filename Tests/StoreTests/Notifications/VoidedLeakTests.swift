import Metering
import Testing

/// What leaked of a refunded purchase and was taken back: neither leak nor a currency that needs an
/// exchange rate.
@Suite struct VoidedLeakTests {
  private static let cost = #""cost":{"amount":"5","currency":"GBP"}"#

  private static func event(_ id: String, _ quantity: Int, at day: Double, _ more: String = "")
    -> String
  {
    "{\"id\":\"\(id)\",\"transactionId\":\"7\",\"meter\":\"credits\",\"quantity\":\(quantity),"
      + "\"time\":\"\(LifeDesk.day(day))\"\(more.isEmpty ? "" : ",")\(more)}"
  }

  /// A purchase refunded on day 10 whose credits were used before and, when `leaks`, after that, so
  /// that only single readings tell what leaked; another usage since was taken back.
  private static func answer(leaks: Bool, _ voided: String, isFlushed: Bool) throws -> JSONNode? {
    let desk = try LifeDesk()
    try desk.send(event("before", 1000, at: 5), at: 5)
    if leaks { try desk.send(event("after", 500, at: 12), at: 12) }
    try desk.send(event("mistake", 200, at: 13, voided), at: 13)
    if isFlushed { try desk.flush() }
    let void = #"{"id":"void","voids":{"source":"","id":"mistake"}}"#
    #expect(try desk.send(void, at: 14) == .accepted)
    try desk.notify(
      Told.notification("REFUND", signed: 20, Told.transaction("7", signed: 20, Told.refund(10))))
    return try desk.consumption("7", at: 21)
  }

  @Test("is gone", arguments: [true, false], ["", cost])
  func isGone(leaks: Bool, voided: String) throws {
    for isFlushed in [true, false] {
      let node = try #require(try Self.answer(leaks: leaks, voided, isFlushed: isFlushed))
      func amounts(_ key: String) -> [String]? {
        node[key]?.elements?.map {
          "\($0["amount"]?.string?.string ?? "-") \($0["currency"]?.string?.string ?? "-")"
        }
      }
      #expect(amounts("leak") == (leaks ? ["0.5 USD"] : []))
      #expect(amounts("realisedLoss") == ["1 USD"])
      #expect(node["because"]?.elements?.isEmpty == true)
    }
  }
}
