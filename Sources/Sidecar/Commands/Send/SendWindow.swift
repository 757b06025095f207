import Metering

/// What `send` has sent and not yet seen acknowledged, and what the answers mean. Pure.
struct SendWindow {
  /// Sums over all connections.
  struct Counts: Equatable {
    var lines = 0
    var accepted = 0
    var duplicates = 0
    var conflicts = 0
    var rejected = 0
  }

  /// What an answer of the server asks for.
  enum Outcome: Equatable {
    /// Lines are on disk; faults among them, for people.
    case acknowledged(faults: [String])
    /// A fault was announced; it counts when its acknowledgement comes.
    case noted
    /// The server can't take more now: connect again later.
    case unavailable(String)
    /// The server speaks another protocol or refuses this one.
    case alien(String)
  }

  private struct Line {
    var number: Int
    var bytes: [UInt8]
  }

  /// Lines not acknowledged, oldest first; what lies before `first` is gone.
  private var lines: [Line] = []
  private var first = 0
  /// How many of them have been written to the present connection.
  private var sent = 0
  private var bytes = 0
  private(set) var counts = Counts()
  /// The present connection's last acknowledged counts.
  private var seen = Counts()
  private var pendingFaults: [String] = []

  var isEmpty: Bool { first == lines.count }
  var isFull: Bool {
    bytes >= CommandLimits.unacknowledgedBytes
      || lines.count - first >= CommandLimits.unacknowledgedLines
  }

  /// Takes a line of the input, without its newline; `number` is its place there, from 1. Returns
  /// why it can't be sent, for one that would not be understood as the beginning of a stream.
  mutating func add(_ line: ArraySlice<UInt8>, number: Int) -> String? {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    let text = line.drop { blanks.contains($0) }
    guard let begin = text.first else { return nil }
    guard begin == UInt8(ascii: "{") else {
      counts.lines += 1
      counts.rejected += 1
      return "line \(number): rejected invalid_json: not an object"
    }
    lines.append(Line(number: number, bytes: Array(text) + [UInt8(ascii: "\n")]))
    bytes += text.count + 1
    return nil
  }

  /// The next bytes to write; nil when all has been written.
  mutating func nextChunk() -> [UInt8]? {
    var chunk: [UInt8] = []
    while first + sent < lines.count {
      let line = lines[first + sent].bytes
      if !chunk.isEmpty && chunk.count + line.count > CommandLimits.chunkBytes { break }
      chunk += line
      sent += 1
    }
    return chunk.isEmpty ? nil : chunk
  }

  /// A new connection begins: everything unacknowledged is to be written again.
  mutating func reconnect() {
    sent = 0
    seen = Counts()
    pendingFaults = []
  }

  /// Takes one line of the server's.
  mutating func take(_ answer: [UInt8]) -> Outcome {
    guard let node = try? JSONNode.parse(answer, dialect: .strict) else {
      return .alien(String(decoding: answer.prefix(200), as: UTF8.self))
    }
    if let total = node["lines"]?.integer {
      return acknowledge(Int(total), node)
    }
    if let line = node["line"]?.integer {
      return note(Int(line), node)
    }
    let text = [node["code"], node["detail"]].compactMap(\.self).map(JSONNode.plain)
      .joined(separator: ": ")
    return node["code"]?.text == "store_unavailable" ? .unavailable(text) : .alien(text)
  }

  private mutating func note(_ line: Int, _ node: JSONNode) -> Outcome {
    let index = first + line - seen.lines - 1
    guard line > seen.lines, index < first + sent else { return .alien("a verdict for no line") }
    let verdict = JSONNode.plain(node["verdict"])
    var text = "line \(lines[index].number): \(verdict)"
    if let code = node["code"].map(JSONNode.plain), code != verdict { text += " \(code)" }
    if let detail = node["detail"] { text += ": \(JSONNode.plain(detail))" }
    pendingFaults.append(text)
    return .noted
  }

  private mutating func acknowledge(_ total: Int, _ node: JSONNode) -> Outcome {
    let covered = total - seen.lines
    guard covered >= 0, covered <= sent else { return .alien("an ack for lines never sent") }
    var now = Counts(lines: total)
    now.accepted = Int(node["accepted"]?.integer ?? 0)
    now.duplicates = Int(node["duplicates"]?.integer ?? 0)
    now.conflicts = Int(node["conflicts"]?.integer ?? 0)
    now.rejected = Int(node["rejected"]?.integer ?? 0)
    counts.lines += covered
    counts.accepted += now.accepted - seen.accepted
    counts.duplicates += now.duplicates - seen.duplicates
    counts.conflicts += now.conflicts - seen.conflicts
    counts.rejected += now.rejected - seen.rejected
    seen = now
    drop(covered)
    defer { pendingFaults = [] }
    return .acknowledged(faults: pendingFaults)
  }

  private mutating func drop(_ count: Int) {
    for index in first..<first + count { bytes -= lines[index].bytes.count }
    first += count
    sent -= count
    // Moving the rest down only when half is gone keeps the cost of a line constant.
    if first > lines.count / 2 {
      lines.removeFirst(first)
      first = 0
    }
  }
}
