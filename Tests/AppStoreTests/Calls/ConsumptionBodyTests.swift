import AppStore
import Metering
import Testing

/// The five fields, and nothing that Apple is known to refuse.
struct ConsumptionBodyTests {
  private static let usual =
    #""customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED""#

  private static func node(_ members: String) throws -> JSONNode {
    try JSONNode.parse(Array("{\(members)}".utf8), dialect: .strict)
  }

  @Test(arguments: [
    usual, usual + #","consumptionPercentage":0"#,
    usual + #","consumptionPercentage":100000,"refundPreference":"DECLINE""#,
    usual + #","refundPreference":"GRANT_PRORATED""#,
    #""customerConsented":true,"sampleContentProvided":true,"#
      + #""deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","consumptionPercentage":0,"#
      + #""refundPreference":"GRANT_FULL""#,
  ])
  func whatIsProposedIsSentToTheLetter(members: String) throws {
    let body = try ConsumptionBody(try Self.node(members))
    #expect(String(decoding: body.json, as: UTF8.self) == "{\(members)}")
  }

  @Test(arguments: [
    "", #""customerConsented":false,"sampleContentProvided":false,"deliveryStatus":"DELIVERED""#,
    #""customerConsented":"true","sampleContentProvided":false,"deliveryStatus":"DELIVERED""#,
    #""sampleContentProvided":false,"deliveryStatus":"DELIVERED""#,
    #""customerConsented":true,"deliveryStatus":"DELIVERED""#,
    #""customerConsented":true,"sampleContentProvided":false"#,
    #""customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"LOST""#,
    usual + #","consumptionPercentage":100001"#, usual + #","consumptionPercentage":-1"#,
    usual + #","consumptionPercentage":"1""#, usual + #","consumptionPercentage":1.5"#,
    usual + #","consumptionPercentage":null"#, usual + #","refundPreference":"NONE""#,
    usual + #","refundPreference":null"#, usual + #","customer":"u""#,
    #""customerConsented":true,"sampleContentProvided":false,"#
      + #""deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":1"#,
  ])
  func whatAppleRefusesIsNotMade(members: String) throws {
    let node = try Self.node(members)
    #expect(throws: ConsumptionBody.Fault.self) { try ConsumptionBody(node) }
  }
}
