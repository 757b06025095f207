import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

@Suite("Costs over time")
struct CostsTests {
  /// The answer's body for a query, long after everything.
  static func costs(
    _ reading: FakeQueries, zone: String, _ query: String, accept: String = "text/csv",
    now: String = "2027-06-01T00:00:00Z"
  ) throws -> String {
    let configuration = testConfiguration(timeZone: zone)
    let now = at(now)
    let request = try #require(makeRequest("GET", "/v1/costs?\(query)", ["Accept: \(accept)"]))
    guard
      case .question(let question) = Router(configuration: configuration)
        .route(request, now: now)
    else { return "no question" }
    let answer = Answers(reading: reading, configuration: configuration, now: now).answer(question)
    return String(decoding: answer.body, as: UTF8.self)
  }

  static let header =
    "start,end,meter,product,environment,currency,quantity,unit,amount,complete,final\r\n"

  @Test(
    "a window is final when nothing can be added to it any more",
    arguments: [("2026-03-07T23:59:59.999999Z", false), ("2026-03-08T00:00:00Z", true)])
  func finality(_ now: String, _ isFinal: Bool) throws {
    var reading = FakeQueries()
    reading.book(1, at: "2026-01-31T12:00:00Z")
    // The window ends on 1 February, and events are known again for 35 days.
    #expect(testConfiguration().dedupeDays == 35)
    let text = try Self.costs(
      reading, zone: "UTC", "from=2026-01-31&to=2026-02-01", now: now)
    #expect(text.hasSuffix(",true,\(isFinal)\r\n"))
  }

  @Test("a cell with quotes or commas comes back from a spreadsheet's reader")
  func quotedCell() {
    let row = CostRow(
      start: at("2026-01-01T00:00:00Z"), end: at("2026-01-02T00:00:00Z"), meter: "a\"b",
      product: "\"", environment: "c,d", currency: nil, quantity: nil, unit: "plain",
      amount: nil, isComplete: true, isFinal: true)
    let answer = CostsAnswer.response([row], format: .csv)
    let expected =
      Self.header + "2026-01-01T00:00:00.000000Z,2026-01-02T00:00:00.000000Z,\"a\"\"b\","
      + "\"\"\"\",\"c,d\",,,plain,,true,true\r\n"
    #expect(String(decoding: answer.body, as: UTF8.self) == expected)
  }

  @Test("months are half-open (MA-11)")
  func monthBoundary() throws {
    var reading = FakeQueries()
    reading.book(1, at: "2026-01-31T23:59:59.999999Z")
    reading.book(2, at: "2026-02-01T00:00:00Z")
    let text = try Self.costs(
      reading, zone: "UTC", "from=2026-01-15&to=2026-02-02&window=month")
    let expected =
      Self.header + "2026-01-01T00:00:00.000000Z,2026-02-01T00:00:00.000000Z,"
      + "tokens,p,Production,USD,1,{token},0.5,true,true\r\n"
      + "2026-02-01T00:00:00.000000Z,2026-03-01T00:00:00.000000Z,"
      + "tokens,p,Production,USD,2,{token},1,true,true\r\n"
    #expect(text == expected)
  }

  @Test("days are those of the zone (MA-13)")
  func offsetZone() throws {
    var reading = FakeQueries()
    reading.book(10, at: "2026-05-29T20:00:00Z")
    let text = try Self.costs(reading, zone: "Asia/Kolkata", "from=2026-05-29&to=2026-05-31")
    let expected =
      Self.header + "2026-05-29T18:30:00.000000Z,2026-05-30T18:30:00.000000Z,"
      + "tokens,p,Production,USD,10,{token},5,true,true\r\n"
    #expect(text == expected)
  }

  @Test(
    "days of 23 and 25 hours tile",
    arguments: [
      ("2026-03-29", "2026-03-28T23:00:00.000000Z", "2026-03-29T22:00:00.000000Z"),
      ("2026-10-25", "2026-10-24T22:00:00.000000Z", "2026-10-25T23:00:00.000000Z"),
    ])
  func daylightSaving(_ day: String, _ start: String, _ end: String) throws {
    var reading = FakeQueries()
    for (time, quantity) in [(at(start), 1), (at(end).adding(microseconds: -1), 2), (at(end), 4)] {
      reading.book(Int128(quantity), at: time.description)
    }
    reading.series["7"] = [
      LevelSeries(
        meter: "storage", attributes: [],
        points: [
          LevelPoint(time: at("2026-01-01T00:00:00Z"), value: Quantity.scale),
          LevelPoint(time: at("2026-12-01T00:00:00Z"), value: 0),
        ])
    ]
    let query = "from=\(day)&to=\(start.prefix(10))T23:30:00Z"
    let seconds = (at(end).microseconds - at(start).microseconds) / 1_000_000
    let price = Fraction(Int128(seconds), scale: 3).decimal
    let json = try Self.costs(reading, zone: "Europe/Amsterdam", query, accept: "*/*")
    let expected =
      #"{"items":[{"start":"\#(start)","end":"\#(end)","meter":"storage","product":null,"#
      + #""environment":"unknown","currency":"EUR","quantity":"\#(seconds)","unit":"By.s","#
      + #""amount":"\#(price)","complete":true,"final":true},"#
      + #"{"start":"\#(start)","end":"\#(end)","meter":"tokens","product":"p","#
      + #""environment":"Production","currency":"USD","quantity":"3","unit":"{token}","#
      + #""amount":"1.5","complete":true,"final":true}],"next":null}"# + "\n"
    #expect(json == expected)
    let csv = try Self.costs(reading, zone: "Europe/Amsterdam", query)
    let rows =
      Self.header + "\(start),\(end),storage,,unknown,EUR,\(seconds),By.s,\(price),true,true\r\n"
      + "\(start),\(end),tokens,p,Production,USD,3,{token},1.5,true,true\r\n"
    #expect(csv == rows)
  }

  @Test("no price is no 0, own costs stand alone, and what only counts is no cost")
  func kinds() throws {
    var reading = FakeQueries()
    reading.book(4, at: "2026-01-01T00:00:00Z")
    reading.book(6, at: "2026-01-01T01:00:00Z", model: "b")
    reading.book(8, at: "2026-01-01T02:00:00Z", meter: "credits")
    reading.book(1, at: "2026-01-01T03:00:00Z", meter: "credits", own: (currency: "EUR", cents: 7))
    reading.book(9, at: "2026-01-01T04:00:00Z", environment: "Sandbox")
    reading.book(2, at: "2026-01-01T05:00:00Z", product: "a,\"b\"")
    reading.book(5, at: "2026-01-01T06:00:00Z", product: "z")
    reading.book(-5, at: "2026-01-01T07:00:00Z", product: "z")
    let day = "2026-01-01T00:00:00.000000Z,2026-01-02T00:00:00.000000Z,"
    let query = "from=2026-01-01&to=2026-01-02"
    #expect(
      try Self.costs(reading, zone: "UTC", query)
        == Self.header + day + "credits,p,Production,EUR,1,{credit},0.07,true,true\r\n"
        + day + "tokens,\"a,\"\"b\"\"\",Production,USD,2,{token},1,true,true\r\n"
        + day + "tokens,p,Production,USD,4,{token},2,false,true\r\n"
        + day + "tokens,p,Production,,6,{token},,false,true\r\n")
    #expect(
      try Self.costs(reading, zone: "UTC", query + "&groupBy=&environment=Sandbox,Production")
        == Self.header + day + ",,Production,EUR,,,0.07,false,true\r\n"
        + day + ",,Production,USD,,,3,false,true\r\n" + day + ",,Production,,,,,false,true\r\n"
        + day + ",,Sandbox,USD,,,4.5,true,true\r\n")
  }

  @Test("a level accrues to the purchases in force, one after the other")
  func levels() throws {
    var reading = FakeQueries()
    let (first, second, end) = (
      at("2026-01-01T06:00:00Z"), at("2026-01-01T12:00:00Z"), at("2026-01-01T18:00:00Z")
    )
    for (id, product, from, until) in [("1", "a", first, second), ("2", "b", second, end)] {
      try reading.put(
        ByteString(id),
        """
        {"originalTransactionId":"1","productId":"\(product)","environment":"Production",
        "type":"Auto-Renewable Subscription","purchaseDate":\(from.microseconds / 1000),
        "expiresDate":\(until.microseconds / 1000)}
        """)
    }
    reading.series["1"] = [
      LevelSeries(
        meter: "storage", attributes: [],
        points: [LevelPoint(time: at("2026-01-01T00:00:00Z"), value: 2 * Quantity.scale)])
    ]
    let day = "2026-01-01T00:00:00.000000Z,2026-01-02T00:00:00.000000Z,storage,"
    #expect(
      try Self.costs(reading, zone: "UTC", "from=2026-01-01&to=2026-01-02")
        == Self.header + day + ",unknown,EUR,86400,By.s,86.4,true,true\r\n"
        + day + "a,Production,EUR,43200,By.s,43.2,true,true\r\n"
        + day + "b,Production,EUR,43200,By.s,43.2,true,true\r\n")
  }

  @Test(
    "ranges that are none",
    arguments: [
      ("2026-01-02", "2026-01-01"), ("2026-01-01", "2026-01-01"), ("0001-01-01", "9999-12-31"),
    ])
  func ranges(_ from: String, _ to: String) throws {
    let text = try Self.costs(FakeQueries(), zone: "Asia/Beirut", "from=\(from)&to=\(to)")
    #expect(text.contains("\"code\":\"invalid_range\""))
  }

  @Test(
    "windows of a year tile, whatever the zone does",
    arguments: [
      "UTC", "Europe/Amsterdam", "America/Sao_Paulo", "Asia/Beirut", "Australia/Lord_Howe",
      "Pacific/Apia", "America/Havana", "Africa/Casablanca", "Asia/Kathmandu",
    ])
  func tiling(_ name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let windows = try CostWindows(
      from: .date(year: 2011, month: 1, day: 1), to: .date(year: 2012, month: 1, day: 1),
      window: .day, timeZone: zone)
    // Samoa went without its 30 December 2011.
    #expect(windows.bounds.count - 1 == (name == "Pacific/Apia" ? 364 : 365))
    let months = try CostWindows(
      from: .date(year: 2011, month: 1, day: 1), to: .date(year: 2012, month: 1, day: 1),
      window: .month, timeZone: zone)
    #expect(months.bounds.count == 13)
    #expect(Set(windows.bounds).isSuperset(of: months.bounds))
    let misplaced = windows.bounds.dropLast().enumerated().filter { index, start in
      windows.index(of: start) != index
        || windows.index(of: windows.bounds[index + 1].adding(microseconds: -1)) != index
    }
    #expect(misplaced.isEmpty)
  }
}
