import Testing

/// One case of cases.md: events in order, what each is answered, what is counted in the end.
struct EventCase: CustomTestStringConvertible {
  var name: String
  /// Source, id, quantity as written (bare where it parses as a number and isn't quoted).
  var events: [(source: String, id: String, quantity: String, quoted: Bool)]
  var verdicts: [ReferenceVerdict]
  var total: String

  var testDescription: String { name }

  static let all = [
    EventCase(
      name: "MA-02: the same id from two sources is two events",
      events: [("a", "1", "2", false), ("b", "1", "3", false)],
      verdicts: [.accepted, .accepted], total: "5"),
    EventCase(
      name: "MA-02: source and id never run into each other",
      events: [("a", "bc", "2", false), ("ab", "c", "3", false), ("", "abc", "4", false)],
      verdicts: [.accepted, .accepted, .accepted], total: "9"),
    EventCase(
      name: "MA-04: an id used again for another payload",
      events: [("a", "1", "10", false), ("a", "1", "12", false), ("a", "1", "10.0", true)],
      verdicts: [.accepted, .conflict, .duplicate], total: "10"),
    EventCase(
      name: "MA-18: ten times 0.1",
      events: (0..<10).map { ("a", "\($0)", "0.1", $0 % 2 == 0) },
      verdicts: Array(repeating: .accepted, count: 10), total: "1"),
    EventCase(
      name: "MA-21: what isn't a quantity doesn't poison the sum",
      events: [
        ("a", "1", "10", false), ("a", "2", "NaN", true), ("a", "3", "-5", false),
        ("a", "4", "Infinity", true), ("a", "5", "1e999", false), ("a", "2", "1", false),
      ],
      verdicts: [
        .accepted, .rejected("invalid_quantity"), .rejected("negative_quantity"),
        .rejected("invalid_quantity"), .rejected("invalid_quantity"), .accepted,
      ], total: "11"),
    EventCase(
      name: "MA-50: an empty id",
      events: [("a", "", "1", false), ("a", "", "2", false), ("a", "1", "4", false)],
      verdicts: [.rejected("invalid_id"), .rejected("invalid_id"), .accepted], total: "4"),
    EventCase(
      name: "numbers are rounded half-even to nine decimals, strings aren't",
      events: [
        ("a", "1", "1.0000000005", false), ("a", "2", "1.0000000015", false),
        ("a", "3", "1.0000000005", true),
      ],
      verdicts: [.accepted, .accepted, .rejected("invalid_quantity")], total: "2.000000002"),
    EventCase(
      name: "eighteen digits before the point and no more",
      events: [
        ("a", "1", "999999999999999999.999999999", true), ("a", "2", "1000000000000000000", false),
      ],
      verdicts: [.accepted, .rejected("invalid_quantity")], total: "999999999999999999.999999999"),
  ]
}

@Suite("Cases of single events")
struct EventCases {
  static let configuration = ReferenceConfiguration(
    dedupeDays: 3650, meters: ["credits": .init(unit: "{credit}")])

  @Test("answers and total", arguments: Door.open, EventCase.all)
  func one(door: Door, example: EventCase) throws {
    let subject = try door.subject(Self.configuration)
    let time = subject.now - Calendar.day
    let events = example.events.map { event in
      ReferenceEvent(
        key: .init(source: event.source, id: event.id),
        body: .usage(
          subject: .transaction("t"), time: time,
          readings: [
            ReferenceReading(
              meter: "credits", quantity: event.quantity, quotedQuantity: event.quoted)
          ]))
    }
    #expect(try subject.send(each: events) == example.verdicts.map { BatchAnswer([$0]) })
    let used = try subject.figures("t").usage["credits"]?.used
    #expect(used?.description == example.total)
  }

  @Test("the same in one batch", arguments: Door.open, EventCase.all)
  func batch(door: Door, example: EventCase) throws {
    let subject = try door.subject(Self.configuration)
    let time = Calendar.text(subject.now - Calendar.day)
    let lines = example.events.map { event in
      let quantity = event.quoted ? "\"\(event.quantity)\"" : event.quantity
      return "{\"id\":\"\(event.id)\",\"source\":\"\(event.source)\",\"transactionId\":\"t\","
        + "\"time\":\"\(time)\",\"meter\":\"credits\","
        + "\"quantity\":\(quantity)}"
    }
    #expect(try subject.send(lines) == BatchAnswer(example.verdicts))
    #expect(try subject.figures("t").usage["credits"]?.used.description == example.total)
  }

  @Test(
    "a missing id is another fault than an empty one (MA-50)", .enabled(if: Door.process.isOpen))
  func missingId() throws {
    let subject = try Door.process.subject(Self.configuration)
    let line = "{\"transactionId\":\"t\",\"meter\":\"credits\",\"quantity\":1}"
    #expect(try subject.send([line]).results == [.init(index: 0, verdict: "missing_id")])
  }
}
