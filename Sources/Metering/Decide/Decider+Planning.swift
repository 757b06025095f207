/// What readings mean under the configuration, and whether the totals take them.
extension Decider {
  /// Finds what each reading means; the first reading that means nothing gives the code.
  func plan(_ event: DecodedEvent, at time: Int64, in batch: IngestBatch) -> RejectionCode? {
    readings.removeAll(keepingCapacity: true)
    for number in Int(event.firstReading)..<Int(event.firstReading) + Int(event.readingCount) {
      let reading = batch.readings[number]
      let shape = table.number(of: reading.shape) ?? table.resolve(reading, in: batch)
      let resolved = table.shapes[shape]
      if let code = resolved.rejection { return code }
      var quantity = reading.quantity
      if resolved.numerator != 1 || resolved.denominator != 1 {
        let (product, overflow) = quantity.multipliedReportingOverflow(by: resolved.numerator)
        if overflow { return .overflow }
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: resolved.denominator)
        if remainder != 0 { return .invalidQuantity }
        quantity = quotient
      }
      readings.append(
        PlannedReading(
          shape: shape, epoch: table.meters[resolved.meter].epoch(at: time), quantity: quantity))
    }
    return nil
  }

  /// Adds the event to the overflow guards; false, with nothing added, when a total would wrap.
  func reserve(_ event: DecodedEvent, in batch: IngestBatch) -> Bool {
    for (done, reading) in readings.enumerated() {
      let meter = table.shapes[reading.shape].meter
      let (sum, overflow) = table.meters[meter].booked.addingReportingOverflow(reading.quantity)
      if overflow || !reserveAmount(batch.readings[Int(event.firstReading) + done]) {
        release(readings: done, of: event, in: batch)
        return false
      }
      table.meters[meter].booked = sum
    }
    return true
  }

  private func reserveAmount(_ reading: DecodedReading) -> Bool {
    guard reading.hasCost else { return true }
    let planned = pending.amounts[reading.currency] ?? 0
    let (sum, overflow) = planned.addingReportingOverflow(reading.cost)
    let booked = amountGuards[reading.currency] ?? 0
    if overflow || booked.addingReportingOverflow(sum).overflow { return false }
    pending.amounts[reading.currency] = sum
    return true
  }

  func release(readings count: Int, of event: DecodedEvent, in batch: IngestBatch) {
    for number in 0..<count {
      table.meters[table.shapes[readings[number].shape].meter].booked -= readings[number].quantity
      let reading = batch.readings[Int(event.firstReading) + number]
      if reading.hasCost { pending.amounts[reading.currency, default: 0] -= reading.cost }
    }
  }
}
