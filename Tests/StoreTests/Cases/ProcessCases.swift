import Glibc
import Testing

/// Cases that need the whole program: its metrics, its costs over time, its socket file.
@Suite("Cases of the whole program", .enabled(if: Door.process.isOpen))
struct ProcessCases {
  static func configuration() -> ReferenceConfiguration {
    var configuration = ReferenceConfiguration()
    configuration.meters = ["images": .init(unit: "{image}")]
    configuration.rates = [.init(meter: "images", price: "0.04")]
    return configuration
  }

  static func event(_ id: String, at time: Int64, meter: String = "images", quantity: String)
    -> ReferenceEvent
  {
    ReferenceEvent(
      key: .init(source: "a", id: id),
      body: .usage(
        subject: .transaction("t"), time: time,
        readings: [ReferenceReading(meter: meter, quantity: quantity)]))
  }

  private static func accepted(_ subject: ProcessSubject) throws -> String? {
    let text = try subject.client.request("GET", "/metrics").body
    let wanted = "outlay_events_total{verdict=\"accepted\"} "
    return text.split(separator: "\n").first { $0.hasPrefix(wanted) }.map {
      String($0.dropFirst(wanted.count))
    }
  }

  @Test("a restart resets no counter and no figure (MA-23)", arguments: [false, true])
  func counters(killing: Bool) throws {
    let subject = try ProcessSubject(Self.configuration())
    let lines = (0..<250).map {
      Self.event("\($0)", at: subject.now - Calendar.hour, quantity: "2").line()
    }
    _ = try subject.send(lines)
    let before = try subject.figures("t")
    #expect(try Self.accepted(subject) == "250")
    try subject.restart(killing: killing)
    #expect(try Self.accepted(subject) == "250")
    #expect(try subject.figures("t") == before)
    #expect(before.totals == ["USD": "20"])
  }

  private static func costs(
    _ subject: ProcessSubject, from: Int64, to: Int64, window: String
  ) throws -> [(start: Int64?, quantity: String)] {
    let query =
      "from=\(Calendar.text(from, decimals: 0))&to=\(Calendar.text(to, decimals: 0))"
      + "&window=\(window)&groupBy=meter"
    let reply = try subject.client.request("GET", "/v1/costs?\(query)")
    let json = TinyJSON(reply.body)
    let rows = json?["items"]?.elements ?? json?.elements ?? []
    guard reply.status == 200 else {
      throw SubjectFault(description: "costs answered \(reply.status): \(reply.body)")
    }
    return rows.filter { $0.amount("quantity") != .zero }.map { row in
      let start = row["start"]?.text.flatMap { Calendar.instant(printed: $0) }
      return (start, row.amount("quantity").description)
    }
  }

  @Test("a day is the local day of the configured zone (MA-13)")
  func localDay() throws {
    var configuration = Self.configuration()
    configuration.timeZone = "Asia/Kolkata"
    let subject = try ProcessSubject(configuration)
    let midnight = (subject.now / Calendar.day - 4) * Calendar.day
    let time = midnight + 20 * Calendar.hour
    _ = try subject.send([Self.event("1", at: time, quantity: "10").line()])
    let rows = try Self.costs(
      subject, from: midnight, to: midnight + 2 * Calendar.day, window: "day")
    let localMidnight = midnight + 18 * Calendar.hour + 30 * Calendar.minute
    #expect(rows.map(\.start) == [localMidnight])
    #expect(rows.map(\.quantity) == ["10"])
  }

  @Test("a month's border is half-open (MA-11)")
  func month() throws {
    let subject = try ProcessSubject(Self.configuration())
    let today = Calendar.date(ofDay: Int(subject.now / Calendar.day))
    let border = Calendar.instant(today.year, today.month, 1)
    let events = [
      Self.event("1", at: border - 1, quantity: "1"), Self.event("2", at: border, quantity: "2"),
    ]
    _ = try subject.send(events.map { $0.line() })
    let before = Calendar.adding(months: -1, to: border)
    let rows = try Self.costs(subject, from: before, to: border + 1_000_000, window: "month")
    #expect(rows.map(\.start) == [before, border])
    #expect(rows.map(\.quantity) == ["1", "2"])
    #expect(try subject.figures("t").usage["images"]?.used == Exact(3))
  }

  @Test("a dead socket file is replaced, anything else is left alone (MA-33)")
  func socketPath() throws {
    let subject = try ProcessSubject(Self.configuration())
    try subject.restart(killing: true)
    let file = subject.directory + "/plain"
    let stream = fopen(file, "w")
    fputs("not a socket", stream)
    if let stream { fclose(stream) }
    let overFile = try subject.startSecond(socket: "plain", store: "other")
    #expect(overFile != nil && overFile != 0, "a regular file is in the way")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_size == 12)
    let overLive = try subject.startSecond(socket: "s", store: "third")
    #expect(overLive != nil && overLive != 0, "another instance listens")
    #expect(try subject.client.request("GET", "/readyz").status == 200)
  }

  @Test("what an unknown meter kept out is counted once its meter is configured")
  func quarantine() throws {
    var configuration = Self.configuration()
    let subject = try ProcessSubject(configuration)
    let line = Self.event("1", at: subject.now - Calendar.hour, meter: "songs", quantity: "3")
      .line()
    #expect(try subject.send([line]) == BatchAnswer([.rejected("unknown_meter")]))
    configuration.meters["songs"] = .init(unit: "{song}")
    try subject.reload(configuration)
    try subject.wait(for: "the replay") {
      guard let text = try subject.consumption("t"), let json = TinyJSON(text) else { return false }
      return Figures(answer: json).usage["songs"]?.used == Exact(3)
    }
    #expect(try subject.send([line]) == BatchAnswer([.duplicate]))
  }

  @Test("a total that would not fit refuses the event and burns no id")
  func overflow() throws {
    var configuration = Self.configuration()
    configuration.meters["huge"] = .init(unit: "1", units: ["tera": "1000000000000"])
    let subject = try ProcessSubject(configuration)
    var event = Self.event("1", at: subject.now - Calendar.hour, quantity: "1")
    let reading = ReferenceReading(
      meter: "huge", quantity: "999999999999999999", unit: "tera")
    event.body = .usage(
      subject: .transaction("t"), time: subject.now - Calendar.hour, readings: [reading])
    #expect(try subject.send([event.line()]) == BatchAnswer([.rejected("overflow")]))
    let small = Self.event("1", at: subject.now - Calendar.hour, meter: "huge", quantity: "5")
    #expect(try subject.send([small.line()]) == BatchAnswer([.accepted]))
    #expect(try subject.figures("t").usage["huge"]?.used == Exact(5))
  }

  @Test("the stream counts what the requests would, blank lines among it")
  func stream() throws {
    let subject = try ProcessSubject(Self.configuration())
    let time = subject.now - Calendar.hour
    let events = (0..<300).map { number in
      // Every third event comes again, every seventh id comes with another quantity.
      let id = number % 3 == 2 ? number - 1 : number
      return Self.event("\(id)", at: time, quantity: number % 7 == 6 ? "2" : "1")
    }
    var reference = Reference(Self.configuration())
    let expected = BatchAnswer(events.map { reference.take($0, now: subject.now) })
    let text = events.map { $0.line() + "\n" }.joined(separator: "\n") + "{\"id\":\n"
    let reply = try subject.client.exchange(Array(text.utf8), endsWriting: true)
    let lines = String(decoding: reply, as: UTF8.self).split(separator: "\n").map(String.init)
    let last = lines.last.flatMap { TinyJSON($0) }
    #expect(last?["lines"]?.integer == 600)
    #expect(last?["accepted"]?.integer == expected.accepted)
    #expect(last?["duplicates"]?.integer == expected.duplicates)
    #expect(last?["conflicts"]?.integer == expected.conflicts)
    #expect(last?["rejected"]?.integer == 1)
    let named = lines.compactMap { TinyJSON($0) }.filter { $0["verdict"]?.text == "conflict" }
    // Events stand on the odd lines, counted from one, with a blank line behind each.
    #expect(named.map { $0["line"]?.integer } == expected.results.map { $0.index * 2 + 1 })
    #expect(try subject.figures("t").usage == reference.figures("t", now: subject.now)?.usage)
  }
}
