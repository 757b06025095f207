import Metering

extension Books {
  /// Where the running totals that gauges tell differ from what the quarter-hour sums of all time
  /// make under the configuration in force, in words. Writer only.
  package func gaugeFaults() throws -> [String] {
    let books = try standingTotals(under: liveConfiguration)
    let running = totals.byKey.filter { !$0.key.isLevel }
    return Set(books.keys).union(running.keys).compactMap { key -> String? in
      let told = running[key] ?? Total()
      let standing = books[key] ?? Total()
      guard
        told.standing != standing.standing || told.standingAmount != standing.standingAmount
      else { return nil }
      let label = "\(key.label.product.string) \(key.label.environment.string)"
      return "\(key.meter.string) \(label) '\(key.rate.string)': told "
        + "\(told.standing) and \(told.standingAmount), booked "
        + "\(standing.standing) and \(standing.standingAmount)"
    }.sorted()
  }
}
