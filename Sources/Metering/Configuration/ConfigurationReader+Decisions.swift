extension ConfigurationReader {
  mutating func decisions(_ place: ConfigurationPlace?) -> Decisions {
    var decisions = Decisions()
    let keys = ["declineAt", "grantAtOrBelow", "staleAfterMinutes", "byReason"]
    guard let place, let object = object(place, keys: keys) else { return decisions }
    decisions.thresholds = thresholds(object, else: decisions.thresholds)
    let century = Limits.windowDays * 1440
    if let minutes = integer(object["staleAfterMinutes"], in: 1...century) {
      decisions.staleAfterMinutes = Int64(minutes)
    }
    if let byReason = object["byReason"], let members = members(byReason) {
      for (reason, value) in members {
        if !Decisions.reasons.contains(reason) {
          let known = Decisions.reasons.map(\.string).joined(separator: ", ")
          fault(value, "Apple gives no such reason; known are \(known)")
        }
        guard let own = self.object(value, keys: ["declineAt", "grantAtOrBelow"]) else { continue }
        decisions.byReason[reason] = thresholds(own, else: decisions.thresholds)
      }
    }
    return decisions
  }

  private mutating func thresholds(
    _ object: ConfigurationObject, else inherited: Decisions.Thresholds
  ) -> Decisions.Thresholds {
    var thresholds = inherited
    if let value = integer(object["declineAt"], in: 0...100_000) {
      thresholds.declineAt = Int64(value)
    }
    if let value = integer(object["grantAtOrBelow"], in: 0...100_000) {
      thresholds.grantAtOrBelow = Int64(value)
    }
    if thresholds.grantAtOrBelow >= thresholds.declineAt {
      fault(
        object["grantAtOrBelow"] ?? object["declineAt"] ?? object.place,
        "grantAtOrBelow (\(thresholds.grantAtOrBelow)) must be below declineAt "
          + "(\(thresholds.declineAt))")
    }
    return thresholds
  }
}
