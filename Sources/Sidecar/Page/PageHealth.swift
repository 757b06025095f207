import Metering

/// Whether all is well, line by line.
struct PageHealth: Equatable {
  /// One thing that is looked at.
  struct Line: Equatable {
    var name: String
    var figure: String
    var isWell: Bool
  }

  var version: String
  var lines: [Line]

  /// Looks at the figures of one moment.
  init(_ metrics: MetricsSnapshot, now: Instant) {
    version = metrics.version
    lines = [
      Line(
        name: "Store", figure: metrics.isStoreReady ? "takes events" : "takes no events",
        isWell: metrics.isStoreReady),
      Line(
        name: "Configuration",
        figure: metrics.isConfigurationCurrent ? "in force" : "the last reload was refused",
        isWell: metrics.isConfigurationCurrent),
      Line(
        name: "Last event", figure: Self.ago(metrics.lastEvent, now), isWell: true),
      Line(
        name: "Last notification", figure: Self.ago(metrics.lastNotification, now), isWell: true),
      Self.count("Events accepted", metrics.accepted, isWell: true),
      Self.count("Events rejected", metrics.rejected, isWell: true),
      Self.count("Events in conflict", metrics.conflicts, isWell: true),
      Self.count(
        "Events waiting for a configuration", metrics.quarantinedEvents,
        isWell: metrics.quarantinedEvents == 0),
      Self.count(
        "Readings waiting for a purchase", metrics.unattributedReadings, isWell: true),
      Self.unpriced(metrics),
      Line(name: "Disk used", figure: Self.bytes(metrics.storeBytes), isWell: true),
      Line(
        name: "Disk free", figure: Self.bytes(metrics.storeFreeBytes),
        isWell: metrics.storeFreeBytes > Self.freeFloor),
    ]
  }

  /// Bytes below which the alert on the disk goes off too.
  private static let freeFloor: Int64 = 512 << 20

  private static func count(_ name: String, _ count: some BinaryInteger, isWell: Bool) -> Line {
    Line(name: name, figure: AmountText.grouped(String(count)), isWell: isWell)
  }

  private static func unpriced(_ metrics: MetricsSnapshot) -> Line {
    let meters = Set(metrics.unpriced.filter { !$0.value.isZero }.keys.map(\.meter.string))
    return Line(
      name: "Meters with usage that has no price",
      figure: meters.isEmpty ? "none" : meters.sorted().joined(separator: ", "),
      isWell: meters.isEmpty)
  }

  private static func ago(_ instant: Instant?, _ now: Instant) -> String {
    guard let instant else { return "never" }
    let seconds = max(0, (now.microseconds - instant.microseconds) / 1_000_000)
    return AmountText.duration(seconds: seconds) + " ago"
  }

  private static func bytes(_ count: Int64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(max(0, count))
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return "\((value * 10).rounded() / 10) \(units[unit])"
  }
}
