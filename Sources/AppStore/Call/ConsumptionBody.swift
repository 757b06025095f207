package import Metering

/// The body of Send Consumption Information (V2): exactly five fields.
/// https://developer.apple.com/documentation/appstoreserverapi/consumptionrequest
package struct ConsumptionBody: Equatable, Sendable {
  /// Why a JSON value is no such body.
  package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence for people that names the field.
    package var description: String
  }

  /// One of Apple's five words.
  package var deliveryStatus: ByteString
  /// Whether the customer could try it, or learn what it does, before buying.
  package var sampleContentProvided: Bool
  /// Thousandths of a percent, 0…100000; nil is left out.
  package var consumptionPercentage: Int64?
  /// `DECLINE`, `GRANT_FULL` or `GRANT_PRORATED`; nil is left out.
  package var refundPreference: ByteString?

  private static let names = [
    "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage",
    "refundPreference",
  ]
  private static let deliveries: [ByteString] = [
    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM",
    "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
  ]
  private static let preferences: [ByteString] = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]

  /// Reads the body that the sidecar proposes. Throws when it is anything that Apple is known to
  /// refuse: a body without consent must never be made.
  package init(_ node: JSONNode) throws(Fault) {
    guard let members = node.members else { throw Fault(description: "the body is no object") }
    for member in members where !Self.names.contains(member.key.string) {
      throw Fault(description: "\(member.key) is no field of this body")
    }
    guard node["customerConsented"]?.bool == true else {
      throw Fault(description: "customerConsented isn't true")
    }
    guard let delivery = node["deliveryStatus"]?.string, Self.deliveries.contains(delivery) else {
      throw Fault(description: "deliveryStatus isn't one of Apple's")
    }
    guard let sample = node["sampleContentProvided"]?.bool else {
      throw Fault(description: "sampleContentProvided isn't true or false")
    }
    deliveryStatus = delivery
    sampleContentProvided = sample
    if let share = node["consumptionPercentage"] {
      guard let value = share.integer, (0...100_000).contains(value) else {
        throw Fault(description: "consumptionPercentage isn't from 0 to 100000")
      }
      guard value == 0 || delivery == "DELIVERED" else {
        throw Fault(description: "consumptionPercentage isn't 0 though nothing was delivered")
      }
      consumptionPercentage = value
    }
    if let preference = node["refundPreference"] {
      guard let word = preference.string, Self.preferences.contains(word) else {
        throw Fault(description: "refundPreference isn't one of Apple's")
      }
      refundPreference = word
    }
  }

  /// The body as it is sent.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("customerConsented")
    writer.bool(true)
    writer.key("sampleContentProvided")
    writer.bool(sampleContentProvided)
    writer.key("deliveryStatus")
    writer.string(deliveryStatus)
    if let consumptionPercentage {
      writer.key("consumptionPercentage")
      writer.number(consumptionPercentage)
    }
    if let refundPreference {
      writer.key("refundPreference")
      writer.string(refundPreference)
    }
    writer.endObject()
    return writer.bytes
  }
}
