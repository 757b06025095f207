import Metering

extension Books {
  /// Where the running totals that gauges tell differ from what the quarter-hour sums of all time
  /// make under the configuration in force, in words. Writer only.
  package func gaugeFaults() throws -> [String] {
    var standing = try StandingTotals(of: totals, under: liveConfiguration)
    try showWriterWhatStands()
    try knowledge.forEachQuarterHour { standing.add($0) }
    return try standing.faults(of: totals)
  }
}
