package import Metering

extension BooksSnapshot {
  package func atRisk(after place: RiskPlace?, limit: Int) throws -> [RiskPlace] {
    try view.atRisk(after: place, limit: limit)
  }
}
