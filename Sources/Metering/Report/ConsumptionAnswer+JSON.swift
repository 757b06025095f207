extension ConsumptionAnswer {
  /// The answer as JSON, in the contract's names and order.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The answer as JSON for keeping, without the cost's lines when it would be longer than `limit`
  /// bytes; nil when it is too long even so.
  package func figures(limit: Int) -> ByteString? {
    for hasLines in [true, false] {
      var writer = JSONWriter()
      write(to: &writer, hasLines: hasLines)
      if writer.bytes.count <= limit { return ByteString(writer.bytes) }
    }
    return nil
  }

  /// Writes the answer as one object.
  package func write(to writer: inout JSONWriter) { write(to: &writer, hasLines: true) }

  private func write(to writer: inout JSONWriter, hasLines: Bool) {
    writer.beginObject()
    writer.member("transactionId", transactionId)
    writer.member("originalTransactionId", purchase?.chain)
    writer.member("productId", purchase?.productId)
    writer.member("type", purchase?.type)
    writer.member("environment", purchase?.environment ?? "unknown")
    writer.member("customer", customer)
    writer.member("asOf", asOf)
    writer.member("lastEventAt", lastEventAt)
    writer.member("billingPeriod", period: billingPeriod)
    writer.member("state", state.map { ByteString($0.name) })
    writer.member("deliveryStatus", deliveryStatus.map { ByteString($0.name) })
    if let consumptionPercentage { writer.member("consumptionPercentage", consumptionPercentage) }
    write(usage: &writer)
    write(cost: &writer, hasLines: hasLines)
    write(proceeds: &writer)
    writer.member("margin", margin)
    write(atRisk: &writer)
    if let loss = refund.realisedLoss {
      writer.member("realisedLoss", loss)
    } else {
      writer.nullMember("realisedLoss")
    }
    writer.member("leak", refund.leak)
    if !unpaid.isEmpty { writer.member("unpaid", unpaid) }
    write(commitment: &writer)
    writer.key("refundCase")
    if let refundCase { refundCase.write(to: &writer) } else { writer.null() }
    write(decision: &writer)
    writer.key("because")
    writer.beginArray()
    for reason in because { writer.string(reason) }
    writer.endArray()
    writer.endObject()
  }

  private func write(usage writer: inout JSONWriter) {
    writer.key("usage")
    writer.beginArray()
    for meter in usage {
      writer.beginObject()
      writer.member("meter", meter.meter)
      writer.member("unit", meter.unit)
      writer.member("used", meter.used)
      writer.member("allowed", meter.allowed)
      writer.member("share", meter.flooredShare)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(cost writer: inout JSONWriter, hasLines: Bool) {
    writer.key("cost")
    writer.beginObject()
    writer.key("complete")
    writer.bool(cost.isComplete)
    writer.member("totals", cost.totals)
    if hasLines { write(lines: &writer) }
    write(unpriced: &writer)
    writer.endObject()
  }

  private func write(lines writer: inout JSONWriter) {
    writer.key("lines")
    writer.beginArray()
    for line in cost.lines {
      writer.beginObject()
      writer.member("meter", line.meter)
      writer.member("attributes", attributes: line.attributes)
      writer.member("quantity", line.quantity)
      writer.member("unit", line.unit)
      writer.key("rate")
      if let rate = line.rate {
        writer.beginObject()
        writer.member("price", rate.price)
        writer.member("per", rate.per)
        writer.endObject()
      } else {
        writer.null()
      }
      writer.member("currency", line.cost.currency)
      writer.member("amount", line.cost.amount)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(unpriced writer: inout JSONWriter) {
    writer.key("unpriced")
    writer.beginArray()
    for line in cost.unpriced {
      writer.beginObject()
      writer.member("meter", line.meter)
      writer.member("attributes", attributes: line.attributes)
      writer.member("quantity", line.quantity)
      writer.member("unit", line.unit)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(proceeds writer: inout JSONWriter) {
    writer.key("proceeds")
    guard let proceeds else { return writer.null() }
    writer.beginObject()
    writer.member("currency", proceeds.money.currency)
    writer.member("amount", proceeds.money.amount)
    writer.member("kept", proceeds.kept)
    writer.member("basis", proceeds.basis)
    writer.endObject()
  }

  /// Writes the member `atRisk`.
  func write(atRisk writer: inout JSONWriter) {
    writer.key("atRisk")
    guard let atRisk else { return writer.null() }
    writer.beginObject()
    writer.member("class", atRisk.riskClass.rawValue)
    writer.member("cost", atRisk.cost)
    writer.member("proceeds", atRisk.proceeds)
    writer.endObject()
  }

  private func write(decision writer: inout JSONWriter) {
    writer.key("consumptionRequest")
    switch decision.verdict {
    case .send(let request):
      request.write(to: &writer)
      writer.nullMember("gate")
    case .gated(let gate):
      writer.null()
      writer.member("gate", gate.rawValue)
    }
  }

  private func write(commitment writer: inout JSONWriter) {
    writer.key("commitment")
    guard let commitment else { return writer.null() }
    writer.beginObject()
    writer.member("billingPeriodNumber", commitment.billingPeriodNumber)
    writer.member("totalBillingPeriods", commitment.totalBillingPeriods)
    // Apple's own field, so in Apple's unit.
    writer.member(
      "commitmentExpiresDate", commitment.commitmentExpiresDate.map { $0.microseconds / 1000 })
    writer.key("current")
    writer.bool(commitment.isCurrent)
    writer.member("remainingPayments", commitment.remainingPayments)
    writer.member("forecastAtRisk", commitment.forecastAtRisk)
    writer.endObject()
  }
}
