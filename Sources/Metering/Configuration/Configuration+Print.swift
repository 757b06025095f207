extension Configuration {
  /// The configuration in force as indented JSON. It loads again to an equal configuration.
  package func print() -> String {
    var writer = JSONWriter()
    writer.beginObject()
    printService(to: &writer)
    printMeters(to: &writer)
    printRates(to: &writer)
    printProducts(to: &writer)
    printMoney(to: &writer)
    printDecisions(to: &writer)
    writer.key("page")
    writer.beginObject()
    writer.key("showIds")
    writer.bool(showsIdentifiers)
    writer.endObject()
    printAppStore(to: &writer)
    for (key, json) in reserved.sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      writer.raw(json.bytes)
    }
    writer.endObject()
    return String(decoding: IndentedJSON.bytes(of: writer.bytes), as: UTF8.self)
  }

  private func printService(to writer: inout JSONWriter) {
    let octal = String(socketMode, radix: 8)
    writer.key("socket")
    writer.beginObject()
    writer.entry("path", socketPath)
    writer.entry("mode", String(repeating: "0", count: max(0, 4 - octal.count)) + octal)
    writer.key("group")
    if let socketGroup { writer.string(socketGroup) } else { writer.null() }
    writer.endObject()
    writer.key("metrics")
    writer.beginObject()
    writer.entry("listen", metricsListen)
    writer.endObject()
    writer.key("store")
    writer.beginObject()
    writer.entry("directory", storeDirectory)
    writer.entry("dedupeDays", dedupeDays)
    writer.entry("retentionDays", retentionDays)
    writer.endObject()
    writer.entry("environments", environments)
    writer.entry("timeZone", timeZone)
    writer.entry("refundWindowDays", refundWindowDays)
    writer.entry("reportingCurrency", reportingCurrency.string)
  }

  private func printMeters(to writer: inout JSONWriter) {
    writer.key("meters")
    writer.beginObject()
    for (name, meter) in meters.sorted(by: { $0.key < $1.key }) {
      writer.key(name)
      writer.beginObject()
      writer.entry("unit", meter.unit.string)
      writer.entry("kind", meter.kind.rawValue)
      if !meter.attributes.isEmpty { writer.entry("attributes", meter.attributes) }
      if !meter.units.isEmpty {
        writer.key("units")
        writer.beginObject()
        for (unit, factor) in meter.units.sorted(by: { $0.key < $1.key }) {
          writer.entry(unit.string, factor.decimal)
        }
        writer.endObject()
      }
      writer.endObject()
    }
    writer.endObject()
  }

  private func printRates(to writer: inout JSONWriter) {
    writer.key("prices")
    writer.beginArray()
    for rate in rates {
      writer.beginObject()
      writer.entry("meter", rate.meter.string)
      if !rate.conditions.isEmpty {
        writer.key("where")
        writer.beginObject()
        for condition in rate.conditions {
          writer.entry(condition.attribute.string, condition.value.string)
        }
        writer.endObject()
      }
      writer.entry("price", rate.printedPrice)
      writer.entry("per", rate.printedPer)
      writer.entry("currency", rate.currency.string)
      writer.entry("from", rate.from)
      writer.endObject()
    }
    writer.endArray()
  }

  private func printProducts(to writer: inout JSONWriter) {
    writer.key("products")
    writer.beginObject()
    for (product, terms) in products.sorted(by: { $0.key < $1.key }) {
      writer.key(product)
      if terms.count != 1 { writer.beginArray() }
      for one in terms { printTerms(one, to: &writer) }
      if terms.count != 1 { writer.endArray() }
    }
    writer.endObject()
  }

  private func printTerms(_ terms: ProductTerms, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.entry("from", terms.from)
    writer.key("allowance")
    writer.beginObject()
    for (name, amount) in terms.allowance.sorted(by: { $0.key < $1.key }) {
      let meter = meters[name]
      let unit = meter?.kind == .level ? " \(meter?.unit.string ?? "").s" : ""
      writer.entry(name.string, amount.decimal + unit)
    }
    writer.endObject()
    if let every = terms.every { writer.entry("every", every.iso8601) }
    if let duration = terms.duration { writer.entry("duration", duration.iso8601) }
    writer.entry("priority", terms.priority)
    writer.key("deliveredOnPurchase")
    writer.bool(terms.deliveredOnPurchase)
    writer.key("sampleContentProvided")
    writer.bool(terms.sampleContentProvided)
    writer.endObject()
  }

  private func printMoney(to writer: inout JSONWriter) {
    writer.key("commission")
    writer.beginArray()
    for entry in commissions {
      writer.beginObject()
      writer.entry("rate", entry.rate.decimal)
      if !entry.types.isEmpty { writer.entry("types", entry.types) }
      if entry.afterPaidDays > 0 { writer.entry("afterPaidDays", entry.afterPaidDays) }
      writer.entry("from", entry.from)
      writer.endObject()
    }
    writer.endArray()
    writer.key("tax")
    writer.beginObject()
    for (storefront, rate) in tax.sorted(by: { $0.key < $1.key }) {
      writer.entry(storefront.string, rate.decimal)
    }
    writer.endObject()
    writer.key("exchangeRates")
    writer.beginArray()
    for entry in exchangeRates {
      writer.beginObject()
      writer.entry("from", entry.from.string)
      writer.entry("to", entry.to.string)
      writer.entry("rate", entry.rate.decimal)
      writer.entry("since", entry.since)
      writer.endObject()
    }
    writer.endArray()
  }

  private func printDecisions(to writer: inout JSONWriter) {
    writer.key("decisions")
    writer.beginObject()
    writer.entry("declineAt", Int(decisions.thresholds.declineAt))
    writer.entry("grantAtOrBelow", Int(decisions.thresholds.grantAtOrBelow))
    writer.entry("staleAfterMinutes", Int(decisions.staleAfterMinutes))
    writer.key("byReason")
    writer.beginObject()
    for (reason, own) in decisions.byReason.sorted(by: { $0.key < $1.key }) {
      writer.key(reason)
      writer.beginObject()
      writer.entry("declineAt", Int(own.declineAt))
      writer.entry("grantAtOrBelow", Int(own.grantAtOrBelow))
      writer.endObject()
    }
    writer.endObject()
    writer.endObject()
  }
}

extension JSONWriter {
  /// Nothing for an instant before everything: that is what an absent key says.
  fileprivate mutating func entry(_ name: String, _ instant: Instant) {
    if instant != .distantPast { entry(name, instant.description) }
  }
}
