/// `GET /v1/customers/{customer}`: purchases, consent and waiting usage of one customer.
package struct CustomerAnswer: Sendable {
  package var customer: ByteString
  package var known: CustomerRecord
  package var units: [ByteString: ByteString]

  /// Answers for a customer, known or not. Throws when reading fails.
  package init(
    customer: ByteString, from reading: any Reading, configuration: Configuration
  ) throws {
    self.customer = customer
    known = try reading.customer(customer)
    // Waiting readings of a level are levels, not yet integrals, so the base unit is right.
    units = configuration.meters.mapValues(\.unit)
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
    for (meter, quantity) in known.unattributed.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.member("meter", meter)
      writer.member("unit", units[meter] ?? "")
      writer.member("quantity", Fraction(quantity, scale: 9))
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
