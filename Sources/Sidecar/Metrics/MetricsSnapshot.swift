package import Metering
package import Wire

/// Everything that the metrics say of the product, taken at one moment. Families without samples
/// only say that they exist.
package struct MetricsSnapshot: Sendable {
  /// A meter with its base unit.
  package struct MeterLabels: Hashable, Sendable {
    package var meter: ByteString
    package var unit: ByteString

    package init(meter: ByteString, unit: ByteString) {
      self.meter = meter
      self.unit = unit
    }
  }

  /// What money is summed by. Unknown products are `_other`, usage whose purchase isn't known is
  /// of the environment `unknown`.
  package struct MoneyLabels: Hashable, Sendable {
    package var meter: ByteString
    package var product: ByteString
    package var currency: ByteString
    package var environment: ByteString

    package init(
      meter: ByteString, product: ByteString, currency: ByteString, environment: ByteString
    ) {
      self.meter = meter
      self.product = product
      self.currency = currency
      self.environment = environment
    }
  }

  package var accepted: UInt64 = 0
  package var duplicates: UInt64 = 0
  package var conflicts: UInt64 = 0
  package var rejected: UInt64 = 0
  /// Codes that are absent are told as 0.
  package var rejections: [RejectionCode: UInt64] = [:]
  /// Booked quantities of sum meters since the store began, raw 10^-9 base units.
  package var usage: [MeterLabels: Int128] = [:]
  /// Quantities taken back since the store began, raw 10^-9 base units.
  package var voidedUsage: [MeterLabels: Int128] = [:]
  /// Cost booked since the store began, at the rate of booking.
  package var costBooked: [MoneyLabels: Fraction] = [:]
  /// Cost as the books stand.
  package var cost: [MoneyLabels: Fraction] = [:]
  /// Usage of priced meters that no rate matches, base units, of levels unit-seconds.
  package var unpriced: [MeterLabels: Fraction] = [:]
  /// What money is told in where it converts.
  package var reportingCurrency: ByteString = "USD"
  /// Sums over all purchases, and levels.
  package var rolledUp = RollupReport()
  /// From the append to the end of its sync.
  package var commitDuration = DurationHistogram()
  /// From the last byte of a request to its durable answer.
  package var acknowledgeDuration = DurationHistogram()
  package var storeBytes: Int64 = 0
  /// Bytes left on its disk.
  package var storeFreeBytes: Int64 = 0
  /// Whether it takes events.
  package var isStoreReady = true
  /// Damage of the ledger that was met.
  package var ledgerDamages: UInt64 = 0
  /// Torn ends of the journal that were dropped.
  package var droppedTails: UInt64 = 0
  package var ingestQueueBytes: Int64 = 0
  package var quarantinedEvents: Int64 = 0
  /// Kept events that had to make room for newer ones.
  package var quarantineDropped: UInt64 = 0
  package var unattributedReadings: Int64 = 0
  /// Time of the newest accepted event; nil before the first.
  package var lastEvent: Instant?
  /// Server notifications taken in, by type; absent ones are told as 0.
  package var notifications: [NotificationType: UInt64] = [:]
  /// Those of types that came after this program.
  package var unknownNotifications: UInt64 = 0
  /// Receipt of the newest notification; nil before the first.
  package var lastNotification: Instant?
  /// What is held for connections.
  package var connections = LoopFigures()
  /// Whether the last load of the configuration succeeded.
  package var isConfigurationCurrent = true
  /// Lines of the log that couldn't be written since the start.
  package var logLinesLost: UInt64 = 0
  /// What `outlay_build_info` says.
  package var version: String

  /// Nothing has happened yet in this version of the program.
  package init(version: String) {
    self.version = version
  }
}
