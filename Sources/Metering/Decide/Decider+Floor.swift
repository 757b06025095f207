/// How old an event may be, and which clocks can't be right.
///
/// Keys of events are forgotten when their times are below the floor, so an event below it is never
/// taken: it may be one of those. The floor follows the time as it passes, not as a clock says, so
/// that one wrong clock can't close the door on honest events.
extension Decider {
  /// Oldest event time that is accepted now.
  var oldest: Int64 { max(floor, now - window) }

  private var window: Int64 { Int64(configuration.dedupeDays) * 86_400_000_000 }

  /// The floor follows the newest accepted event, never beyond the clock, and as time passes: at
  /// first from far below, since nothing is forgotten yet and the first clock may be far ahead,
  /// and then somewhat faster, so that it catches up and runs of keys can go.
  func advanceFloor() {
    guard newest != .min else { return }
    let wanted = min(now, newest) - window
    guard floor != .min else {
      floor = wanted - Limits.firstFloorMicroseconds
      return
    }
    let (step, isFar) = max(0, time.elapsed).multipliedReportingOverflow(by: Limits.floorHaste)
    floor = max(floor, isFar ? wanted : min(wanted, floor + step))
  }

  /// Why a clock can't be right; nil when it can. What it would say of events is no verdict.
  package func fault(ofClock now: Instant) -> String? {
    if now < Limits.firstPlausibleClock || now >= Limits.endOfPlausibleClocks {
      return "the clock says \(now), which can't be right"
    }
    if floor != .min && now.microseconds < floor {
      return "the clock says \(now), but events before \(Instant(microseconds: floor)) were "
        + "taken so long ago that they may be forgotten; it can't be right"
    }
    return nil
  }
}

extension Limits {
  /// How far below the oldest time of its first entry a store's floor begins, microseconds: a year.
  /// So far may the first clock be ahead without a later, right one finding the door closed.
  static let firstFloorMicroseconds: Int64 = 366 * 86_400_000_000
  /// How many times faster than time the floor may follow: it makes the year good in five weeks,
  /// about when the first keys are old enough to go.
  static let floorHaste: Int64 = 12
  /// Time that passes at a restart as far as the floor is concerned, microseconds, since nobody
  /// knows how long it took: it lets the floor advance by a day.
  package static let restartMicroseconds: Int64 = 2 * 3_600_000_000
  /// No clock of a machine that runs this is before 2025 or after the century: such are the
  /// beginnings and ends of what clocks without a battery count.
  static let firstPlausibleClock = Instant(microseconds: 1_735_689_600_000_000)
  static let endOfPlausibleClocks = Instant(microseconds: 4_102_444_800_000_000)
}
