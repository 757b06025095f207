import Metering

// A series that begins with its first count has no increase then, so that no alert on it fires:
// whatever labels can be known beforehand are told from the beginning.

extension RollupReport {
  /// The keys whose series are told as 0 until something counts under them.
  func bornKeys(reportingCurrency: ByteString) -> [RollupKey] {
    let reasons = Decisions.reasons + [RollupKey.none, RollupKey.other]
    let sent = RefundPreference.allCases.map { ByteString($0.rawValue) }
    let answers = sent + [RollupKey.none, RollupKey.other]
    let outcomes = CaseTally.outcomes.map { ByteString($0.rawValue) }
    var keys = Self.gates
    keys += reasons.flatMap { [RollupKey(.requests, $0), RollupKey(.missed, $0)] }
    keys += answers.map { RollupKey(.responses, $0, "accepted") }
    keys.append(RollupKey(.responses, RollupKey.unknown, "failed"))
    keys += (answers + [CaseTally.unanswered]).flatMap { preference in
      outcomes.map { RollupKey(.outcomes, preference, $0) }
    }
    keys += CaseTally.Correction.allCases.map {
      RollupKey(.miscounted, ByteString($0.rawValue))
    }
    return keys + lossKeys(reportingCurrency)
  }

  /// What every product that was ever sold can lose.
  private func lossKeys(_ currency: ByteString) -> [RollupKey] {
    values.keys.filter { $0.family == .proceeds }.flatMap { sold in
      [RollupKey.Family.realisedLoss, .leak].map { family in
        var key = RollupKey(family, "", currency)
        key.product = sold.product
        key.environment = sold.environment
        return key
      }
    }
  }

  /// What can stand against an open case, and nothing.
  private static let gates: [RollupKey] =
    ([RollupKey.none]
    + Gate.allCases.filter { ![.noCase, .answered, .late].contains($0) }.map {
      ByteString($0.rawValue)
    }).map { RollupKey(.openCases, $0) }
}
