import Metering
package import Wire

/// Renders a snapshot in one of Prometheus' text formats.
package enum MetricsText {
  /// The text; `process` is nil where it isn't known.
  package static func render(
    _ snapshot: MetricsSnapshot, process: ProcessMetrics?, format: MetricsFormat
  ) -> [UInt8] {
    var output: [UInt8] = []
    let families =
      events(snapshot) + usage(snapshot) + money(snapshot)
      + rolledUp(snapshot.rolledUp, reportingCurrency: snapshot.reportingCurrency)
      + durations(snapshot, format: format) + store(snapshot)
      + connections(snapshot.connections) + build(snapshot)
      + (process?.families ?? [])
    for family in families { family.write(to: &output, format: format) }
    if format == .openMetrics100 { output.append(contentsOf: "# EOF\n".utf8) }
    return output
  }

  /// The answer to a scrape.
  package static func response(
    _ snapshot: MetricsSnapshot, process: ProcessMetrics?, format: MetricsFormat
  ) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: [("Content-Type", format.contentType), ("Vary", "Accept")],
      body: render(snapshot, process: process, format: format))
  }
}

extension MetricsText {
  private static func events(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
    var events = MetricFamily("outlay_events", .counter, "Events taken, by what became of them.")
    events.add("\(snapshot.accepted)", ["verdict": "accepted"])
    events.add("\(snapshot.duplicates)", ["verdict": "duplicate"])
    events.add("\(snapshot.conflicts)", ["verdict": "conflict"])
    events.add("\(snapshot.rejected)", ["verdict": "rejected"])
    var rejected = MetricFamily(
      "outlay_events_rejected", .counter, "Events rejected, by the code of the reply.")
    for code in RejectionCode.allCases {
      rejected.add("\(snapshot.rejections[code] ?? 0)", ["code": code.name])
    }
    var notifications = MetricFamily(
      "outlay_notifications", .counter, "App Store Server Notifications taken in, each once.")
    for type in NotificationType.allCases {
      notifications.add("\(snapshot.notifications[type] ?? 0)", ["type": type.name])
    }
    notifications.add("\(snapshot.unknownNotifications)", ["type": "_other"])
    var dropped = MetricFamily(
      "outlay_quarantine_dropped_events", .counter,
      "Kept events that had to make room for newer ones.")
    dropped.add("\(snapshot.quarantineDropped)", [:])
    return [events, rejected, dropped, notifications]
  }

  private static func usage(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
    [
      quantities(
        MetricFamily(
          "outlay_usage", .counter, "Quantity booked for sum meters, in the meter's base unit."),
        snapshot.usage.mapValues { Fraction($0, scale: 9) }),
      quantities(
        MetricFamily(
          "outlay_voided_usage", .counter, "Quantity taken back, in the meter's base unit."),
        snapshot.voidedUsage.mapValues { Fraction($0, scale: 9) }),
      quantities(
        MetricFamily(
          "outlay_unpriced_usage", .gauge,
          "Usage of priced meters that no rate matches, in the unit."),
        snapshot.unpriced),
    ]
  }

  private static func quantities(
    _ family: MetricFamily, _ values: [MetricsSnapshot.MeterLabels: Fraction]
  ) -> MetricFamily {
    var family = family
    for (labels, quantity) in values.sorted(by: { $0.key < $1.key }) {
      family.add(
        MetricNumber.exact(quantity),
        ["meter": labels.meter.string, "unit": labels.unit.string])
    }
    return family
  }

  private static func money(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
    var booked = MetricFamily(
      "outlay_cost_booked", .counter, "Cost booked, in the currency, at the rate of its booking.")
    var cost = MetricFamily("outlay_cost", .gauge, "Cost in the currency, as the books stand.")
    for (labels, amount) in snapshot.costBooked.sorted(by: { $0.key < $1.key }) {
      booked.add(MetricNumber.exact(amount), ofMeter: labels)
    }
    for (labels, amount) in snapshot.cost.sorted(by: { $0.key < $1.key }) {
      cost.add(MetricNumber.exact(amount), ofMeter: labels)
    }
    return [booked, cost]
  }

  private static func durations(
    _ snapshot: MetricsSnapshot, format: MetricsFormat
  ) -> [MetricFamily] {
    var commit = MetricFamily(
      "outlay_commit_duration_seconds", .histogram,
      "Time to decide a batch, write it with its sync, and apply it.",
      unit: "seconds")
    commit.add(snapshot.commitDuration, format: format)
    var acknowledge = MetricFamily(
      "outlay_ack_duration_seconds", .histogram,
      "Time from the writer's taking a batch to its durable answers.", unit: "seconds")
    acknowledge.add(snapshot.acknowledgeDuration, format: format)
    return [commit, acknowledge]
  }

  private static func store(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
    var damage = MetricFamily(
      "outlay_store_damage", .counter,
      "Damage met in the store since the start: in the ledger, which is made anew from the "
        + "journal, and in the journal's last, unacknowledged commit, which is dropped.")
    damage.add("\(snapshot.ledgerDamages)", ["part": "ledger"])
    damage.add("\(snapshot.droppedTails)", ["part": "journal_tail"])
    var families = [
      damage,
      gauge("outlay_store_bytes", "Bytes of the store on disk.", snapshot.storeBytes, "bytes"),
      gauge(
        "outlay_store_free_bytes", "Bytes left on the store's disk.", snapshot.storeFreeBytes,
        "bytes"),
      gauge(
        "outlay_store_ready", "1 while the store takes events, else 0.",
        snapshot.isStoreReady ? 1 : 0),
      gauge(
        "outlay_ingest_queue_bytes", "Bytes received and not yet committed.",
        snapshot.ingestQueueBytes, "bytes"),
      gauge(
        "outlay_quarantined_events", "Events kept until a configuration makes them valid.",
        snapshot.quarantinedEvents),
      gauge(
        "outlay_unattributed_readings", "Readings that wait for a purchase.",
        snapshot.unattributedReadings),
    ]
    for (name, help, instant) in [
      ("event", "Time of the newest accepted event, in seconds since 1970.", snapshot.lastEvent),
      (
        "notification",
        "Receipt of the newest App Store Server Notification, in seconds since 1970.",
        snapshot.lastNotification
      ),
    ] {
      var last = MetricFamily(
        "outlay_last_\(name)_timestamp_seconds", .gauge, help, unit: "seconds")
      if let instant { last.add(MetricNumber.seconds(instant)) }
      families.append(last)
    }
    families.append(
      gauge(
        "outlay_config_reload_success", "Whether the last load of the configuration succeeded.",
        snapshot.isConfigurationCurrent ? 1 : 0))
    return families
  }

  private static func build(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
    var build = MetricFamily("outlay_build_info", .gauge, "The program's version.")
    build.add("1", ["version": snapshot.version])
    return [MetricFamily.logLinesLost(snapshot.logLinesLost), build]
  }

  private static func gauge(
    _ name: String, _ help: String, _ value: Int64, _ unit: String? = nil
  ) -> MetricFamily {
    var family = MetricFamily(name, .gauge, help, unit: unit)
    family.add("\(value)")
    return family
  }
}

extension MetricFamily {
  fileprivate mutating func add(_ value: String, ofMeter labels: MetricsSnapshot.MoneyLabels) {
    add(
      value,
      [
        "meter": labels.meter.string, "product": labels.product.string,
        "currency": labels.currency.string, "environment": labels.environment.string,
      ])
  }
}
