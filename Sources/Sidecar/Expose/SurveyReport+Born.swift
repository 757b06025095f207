import Metering

// A series that begins with its first count has no increase then, so that no alert on it fires:
// whatever labels can be known beforehand are told from the beginning.

extension SurveyReport {
  /// The keys whose series are told as 0 until something counts under them.
  func bornKeys(reportingCurrency: ByteString) -> [SurveyKey] {
    let reasons = Decisions.reasons + [SurveyKey.none, SurveyKey.other]
    let sent = RefundPreference.allCases.map { ByteString($0.rawValue) }
    let answers = sent + [SurveyKey.none, SurveyKey.other]
    let outcomes = CaseTally.outcomes.map { ByteString($0.rawValue) }
    var keys = Self.gates
    keys += reasons.flatMap { [SurveyKey(.requests, $0), SurveyKey(.missed, $0)] }
    keys += answers.map { SurveyKey(.responses, $0, "accepted") }
    keys.append(SurveyKey(.responses, SurveyKey.unknown, "failed"))
    keys += (answers + [CaseTally.unanswered]).flatMap { preference in
      outcomes.map { SurveyKey(.outcomes, preference, $0) }
    }
    keys += CaseTally.Correction.allCases.map {
      SurveyKey(.miscounted, ByteString($0.rawValue))
    }
    return keys + lossKeys(reportingCurrency)
  }

  /// What every product that was ever sold can lose.
  private func lossKeys(_ currency: ByteString) -> [SurveyKey] {
    values.keys.filter { $0.family == .proceeds }.flatMap { sold in
      [SurveyKey.Family.realisedLoss, .leak].map { family in
        var key = SurveyKey(family, "", currency)
        key.product = sold.product
        key.environment = sold.environment
        return key
      }
    }
  }

  /// What can stand against an open case, and nothing.
  private static let gates: [SurveyKey] =
    ([SurveyKey.none]
    + Gate.allCases.filter { ![.noCase, .answered, .late].contains($0) }.map {
      ByteString($0.rawValue)
    }).map { SurveyKey(.openCases, $0) }
}
