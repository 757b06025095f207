package import Metering

/// Which costs are asked for, and how they are summed.
package struct CostsQuestion: Equatable, Sendable {
  /// A bound of the time asked for.
  package enum Bound: Equatable, Sendable {
    /// The beginning of a day in the configured zone.
    case date(year: Int, month: Int, day: Int)
    /// A point in time.
    case instant(Instant)
  }

  /// How long one row's time is, in the configured zone.
  package enum Window: String, Sendable {
    case day
    case month
  }

  /// What rows are kept apart by, beside window, environment and currency.
  package enum Dimension: String, CaseIterable, Sendable {
    case meter
    case product
  }

  /// How the table is written.
  package enum Format: Equatable, Sendable {
    case json
    case csv
  }

  package var from: Bound
  package var to: Bound
  package var window: Window
  package var groupBy: [Dimension]
  /// The environments summed; `unknown` is usage whose purchase isn't known.
  package var environments: Set<ByteString>
  package var format: Format

  package init(
    from: Bound, to: Bound, window: Window = .day, groupBy: [Dimension] = Dimension.allCases,
    environments: Set<ByteString> = Self.defaultEnvironments, format: Format = .json
  ) {
    self.from = from
    self.to = to
    self.window = window
    self.groupBy = groupBy
    self.environments = environments
    self.format = format
  }

  /// Real money, and usage that may become real money.
  package static let defaultEnvironments: Set<ByteString> = ["Production", "unknown"]
}
