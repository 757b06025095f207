import Metering
import Wire

/// `outlay top`: open refund cases and the dearest purchases at risk, again and again.
package struct TopCommand: Sendable {
  /// How it is printed.
  package enum Format: Sendable {
    /// In place on a terminal, else once.
    case screen
    /// Once, as a plain table.
    case once
    /// Once, as JSON.
    case json
  }

  /// How it is printed.
  package var format = Format.screen
  /// Most cases and most purchases.
  package var items = 20
  /// Between two looks, seconds.
  package var seconds = 2
  private let address: ServerAddress
  private let environment: [String: String]

  /// Asks the server at an address; `environment` is the process's, which may forbid colours.
  package init(address: ServerAddress, environment: [String: String]) {
    self.address = address
    self.environment = environment
  }

  /// Prints once, or until it is interrupted. Throws when the server can't be reached or refuses,
  /// but for a running screen, which tells so and goes on.
  package func run() throws(CommandFailure) {
    let isTerminal = CommandSystem.isTerminal(1)
    switch format {
    case .json: Console.printJSON(try json())
    case .screen where isTerminal: try refresh()
    case .screen, .once:
      let size = isTerminal ? CommandSystem.terminalSize() : nil
      let screen = TopScreen(
        size: TopScreen.Size(columns: size?.columns ?? Self.plainColumns, rows: nil),
        hasColours: hasColours)
      Console.draw(screen.lines(try look().snapshot).joined(separator: "\n") + "\n")
    }
  }

  /// Without a terminal nothing has to fit: only a line that no reader could want is cut.
  private static let plainColumns = 1_000

  private var hasColours: Bool {
    CommandSystem.isTerminal(1) && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  private static let metrics = "/metrics"
  private var casesTarget: String { "/v1/refund-requests?state=open&limit=\(items)" }
  private var atRiskTarget: String { "/v1/at-risk?limit=\(items)" }

  /// What the server told at one time.
  private struct Look {
    var snapshot: TopSnapshot
    var cases: JSONNode
    var atRisk: JSONNode
  }

  private func look() throws(CommandFailure) -> Look {
    let metrics = try MetricsPage(address)
    let cases = try AnswerJSON.parse(try address.get(casesTarget).body)
    let atRisk = try AnswerJSON.parse(try address.get(atRiskTarget).body)
    let now = Instant(microseconds: CommandSystem.wallMicroseconds())
    return Look(
      snapshot: TopSnapshot(metrics: metrics, cases: cases, atRisk: atRisk, now: now),
      cases: cases, atRisk: atRisk)
  }

  /// The server's own items, and the sums by environment and currency.
  private func json() throws(CommandFailure) -> [UInt8] {
    let look = try look()
    let snapshot = look.snapshot
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("asOf", snapshot.time.description)
    writer.key("events")
    writer.number(MetricNumber.shortest(snapshot.acceptedEvents))
    writer.member("ready", snapshot.isReady)
    writer.key("totals")
    writer.beginArray()
    for one in snapshot.standings { one.write(to: &writer) }
    writer.endArray()
    for (name, list) in [("openCases", look.cases), ("purchases", look.atRisk)] {
      writer.key(name)
      if let items = list["items"] { writer.copy(items) } else { writer.null() }
    }
    writer.endObject()
    return writer.bytes
  }
}

extension TopCommand {
  private func refresh() throws(CommandFailure) {
    CommandSystem.rememberEndSignals()
    let terminal = TerminalScreen()
    defer { terminal.close() }
    var shown: TopSnapshot?
    while !isOver {
      var trouble: String?
      var rate: Double?
      do throws(CommandFailure) {
        let fresh = try look().snapshot
        rate = shown.flatMap { Self.rate(from: $0, to: fresh) }
        shown = fresh
      } catch {
        trouble = error.description
      }
      var size = draw(on: terminal, shown, rate, trouble)
      let end = CommandSystem.monotonicNanoseconds() + UInt64(seconds) * 1_000_000_000
      while CommandSystem.monotonicNanoseconds() < end, !isOver {
        if terminal.waitForQuit(milliseconds: Self.glanceMilliseconds) { return }
        // A terminal of another size is drawn at once.
        if CommandSystem.terminalSize() != size { size = draw(on: terminal, shown, rate, trouble) }
      }
    }
  }

  private var isOver: Bool { CommandSystem.isEndRequested || Console.isOutputLost }

  /// Between two looks at the keyboard and the terminal's size.
  private static let glanceMilliseconds: Int32 = 100

  private func draw(
    on terminal: TerminalScreen, _ snapshot: TopSnapshot?, _ rate: Double?, _ trouble: String?
  ) -> TopScreen.Size? {
    let size = CommandSystem.terminalSize()
    let screen = TopScreen(
      size: size ?? TopScreen.Size(columns: 80, rows: 24), hasColours: hasColours)
    terminal.show(screen.lines(snapshot, rate: rate, trouble: trouble))
    return size
  }

  /// Events a second between two looks; nil after a restart that forgot some or for no time.
  private static func rate(from old: TopSnapshot, to new: TopSnapshot) -> Double? {
    let seconds = Double(new.time.microseconds - old.time.microseconds) / 1e6
    let events = new.acceptedEvents - old.acceptedEvents
    return seconds > 0 && events >= 0 ? events / seconds : nil
  }
}

extension TopSnapshot.Standing {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("environment", environment)
    writer.member("currency", currency)
    for (name, value) in [
      ("requested", requested), ("refundable", refundable), ("realisedLoss", realisedLoss),
      ("leak", leak),
    ] {
      writer.member(name, MetricNumber.shortest(value))
    }
    writer.endObject()
  }
}
