/// `GET /v1/customers/{customer}`: purchases, consent and waiting usage of one customer.
package struct CustomerAnswer: Sendable {
  package var customer: ByteString
  package var known: CustomerRecord
  /// Quantities that no purchase took, by meter, in ``units``.
  package var unattributed: [ByteString: Fraction]
  package var units: [ByteString: ByteString]

  /// Answers for a customer, known or not; levels are counted up to `now`. Throws when reading
  /// fails.
  package init(
    customer: ByteString, from reading: any StoreQueries, configuration: Configuration, now: Instant
  ) throws {
    self.customer = customer
    known = try reading.customer(customer)
    unattributed = known.unattributed.mapValues { Fraction($0, scale: 9) }
    let levels = try CustomerLevels(
      ofCustomer: customer, from: reading, configuration: configuration)
    for booked in levels?.amounts(of: nil, from: .distantPast, to: now) ?? [] {
      unattributed[booked.meter, default: .zero] =
        (unattributed[booked.meter] ?? .zero) + booked.quantity
    }
    var units: [ByteString: ByteString] = [:]
    for meter in configuration.meters.keys {
      units[meter] = configuration.printedUnit(of: meter)
    }
    self.units = units
  }

  /// The answer as JSON.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("customer", customer)
    writer.key("transactions")
    writer.beginArray()
    for id in known.transactions { writer.string(id) }
    writer.endArray()
    writer.key("consent")
    writer.beginArray()
    for consent in known.consent {
      writer.beginObject()
      writer.key("consented")
      writer.bool(consent.consented)
      writer.member("at", consent.at)
      writer.endObject()
    }
    writer.endArray()
    writer.key("unattributed")
    writer.beginArray()
    for (meter, quantity) in unattributed.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.member("meter", meter)
      writer.member("unit", units[meter] ?? "")
      writer.member("quantity", quantity)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
