import Metering

/// `outlay bench`: a load generator over the real socket.
package struct BenchCommand {
  private let options: BenchOptions
  private var report = BenchReport()

  /// A run with these options.
  package init(_ options: BenchOptions) {
    self.options = options
  }

  /// Measures and prints the report. Throws when the server fails or counts wrongly.
  package mutating func run() throws(CommandFailure) {
    CommandSystem.rememberEndSignals()
    if options.mode == .decoder {
      measureDecoder()
    } else if let socket = options.socket {
      try measure(ServerAddress(given: socket, environment: [:]), child: nil)
    } else {
      let child = try ServerChild(
        parent: options.directory, body: BenchPurchases.configuration, preferredPort: 0,
        keepsFolder: options.keepsFolder)
      defer { child.finish() }
      try child.start()
      try measure(child.address, child: child)
    }
    Console.print(options.printsJSON ? report.json : report.text)
  }

  private mutating func measureDecoder() {
    let (rate, bytes) = BenchDecoder.run(events: options.events, chunkBytes: options.chunkBytes)
    report.add("line_bytes", "bytes a line", bytes, "B", decimals: 1)
    report.add("decoded_events_per_second", "decoder alone", rate, "events/s")
    report.add("decoded_megabytes_per_second", "", rate * bytes / 1e6, "MB/s")
  }

  private mutating func measure(
    _ address: ServerAddress, child: ServerChild?
  ) throws(CommandFailure) {
    let now = CommandSystem.wallMicroseconds()
    let events = BenchEvents(
      seed: UInt64(truncatingIfNeeded: now), purchases: options.purchases,
      chunkBytes: options.chunkBytes, nowMicroseconds: now)
    Console.complain("registering \(options.purchases) purchases")
    try BenchPurchases.register(
      options.purchases, connections: options.connections, address: address)
    if options.mode == .single {
      try measureSingle(events, address, child)
    } else {
      try measureLoad(events, address, child)
    }
    if let child, let peak = child.peakMemory() {
      report.add(
        "peak_memory_mib", "server's peak memory", Double(peak) / 1_048_576, "MiB", decimals: 1)
    }
    if let child, options.measuresRecovery { try measureRecovery(child) }
  }

  private mutating func measureLoad(
    _ events: BenchEvents, _ address: ServerAddress, _ child: ServerChild?
  ) throws(CommandFailure) {
    let before = try storeBytes(address)
    let diskBefore = child.map { CommandSystem.diskUsage(of: $0.storePath) }
    Console.complain("sending \(options.events) events")
    var load = try BenchLoad(options, events: events, address: address)
    let timesBefore = child?.processorTimes() ?? [:]
    let result = try load.run()
    let times = child?.processorTimes() ?? [:]
    report.add("events", "events", Double(result.events), "")
    report.add("purchases", "purchases", Double(options.purchases), "")
    report.add("connections", "connections", Double(options.connections), "")
    report.add("line_bytes", "bytes a line", events.bytesPerLine, "B", decimals: 1)
    report.add("accepted", "accepted", Double(result.accepted), "")
    report.add("duplicates", "duplicates", Double(result.duplicates), "")
    report.add("seconds", "time", result.seconds, "s", decimals: 1)
    report.add(
      "acked_events_per_second", "acked", Double(result.events) / result.seconds, "events/s")
    report.add("tenths", "by tenths", result.tenths, "events/s")
    if let first = result.tenths.first, let last = result.tenths.last {
      report.add("last_to_first", "last tenth of first", last / first * 100, "%")
    }
    report.addLatencies("ack", "ack of a chunk", result.latencies)
    for thread in times.keys.sorted(by: >) {
      let spent = Double((times[thread] ?? 0) - (timesBefore[thread] ?? 0))
      report.add(
        "\(thread)_us_per_event", "\(thread)'s time an event",
        spent / 1000 / Double(max(result.events, 1)), "µs", decimals: 2)
    }
    let after = try storeBytes(address)
    let count = Double(max(result.events, 1))
    report.add(
      "store_bytes_per_event", "outlay_store_bytes an event", (after - before) / count, "B",
      decimals: 1)
    if let child, let diskBefore {
      let grown = Double(CommandSystem.diskUsage(of: child.storePath) - diskBefore)
      report.add("disk_bytes_per_event", "disk blocks an event", grown / count, "B", decimals: 1)
    }
  }

  private mutating func measureSingle(
    _ events: BenchEvents, _ address: ServerAddress, _ child: ServerChild?
  ) throws(CommandFailure) {
    var own: String?
    if child == nil { own = try CommandSystem.makeScratchFolder(in: options.directory) }
    defer { own.map(CommandSystem.removeFolder) }
    let folder = child?.folder ?? own ?? options.directory
    let result = try BenchSingle.run(
      count: options.events, events: events, folder: folder, address: address)
    report.add("events", "events, one at a time", Double(options.events), "")
    report.addLatencies("single", "round trip", result.roundTrips)
    report.addLatencies("sync", "4 KiB fdatasync", result.syncs)
    let half = result.roundTrips.count / 2
    if half < result.syncs.count {
      let difference = Double(result.roundTrips[half]) - Double(result.syncs[half])
      report.add("over_sync_us", "median over sync", difference / 1000, "µs", decimals: 1)
    }
  }

  private mutating func measureRecovery(_ child: ServerChild) throws(CommandFailure) {
    child.killNow()
    let started = CommandSystem.monotonicNanoseconds()
    try child.start()
    let milliseconds = Double(CommandSystem.monotonicNanoseconds() - started) / 1e6
    report.add("recovery_ms", "ready after kill -9", milliseconds, "ms", decimals: 1)
  }

  /// The gauge may lag 15 s, so it is asked until it stands still.
  private func storeBytes(_ address: ServerAddress) throws(CommandFailure) -> Double {
    var last = try MetricsPage(address).value("outlay_store_bytes")
    var unchanged = 0
    for _ in 0..<40 where unchanged < (options.events > 100_000 ? 16 : 1) {
      CommandSystem.sleep(milliseconds: 1000)
      let next = try MetricsPage(address).value("outlay_store_bytes")
      unchanged = next == last ? unchanged + 1 : 0
      last = next
    }
    return last
  }
}
