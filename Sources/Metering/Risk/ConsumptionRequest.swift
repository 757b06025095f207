/// What should become of the money, in Apple's words.
package enum RefundPreference: String, CaseIterable, Sendable {
  case decline = "DECLINE"
  case grantFull = "GRANT_FULL"
  case grantProrated = "GRANT_PRORATED"
}

/// The body of Apple's Send Consumption Information, version 2. See
/// https://developer.apple.com/documentation/appstoreserverapi/consumptionrequest
///
/// `customerConsented` is always true: without consent there is no body.
package struct ConsumptionRequest: Equatable, Sendable {
  package var sampleContentProvided: Bool
  package var deliveryStatus: DeliveryStatus
  /// 0…100000; nil leaves the field out, as it must be for auto-renewable subscriptions.
  package var consumptionPercentage: Int64?
  /// Nil states no preference.
  package var refundPreference: RefundPreference?

  /// Writes the body as one object, absent fields left out.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("customerConsented")
    writer.bool(true)
    writer.key("sampleContentProvided")
    writer.bool(sampleContentProvided)
    writer.member("deliveryStatus", deliveryStatus.name)
    if let consumptionPercentage { writer.member("consumptionPercentage", consumptionPercentage) }
    if let refundPreference { writer.member("refundPreference", refundPreference.rawValue) }
    writer.endObject()
  }
}
