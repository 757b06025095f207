import Foundation

@testable import Wire

/// Somebody who wants the server for himself, in each of the ways that were found.
enum HostileClient: CaseIterable {
  case idleOnMetrics
  case halfHeads
  case braceAndStop
  case idleStreams
  case nonsenseStream
  case nonsenseBody
  case nonsenseArray
  case blankBody
  case manyKeys
  case slowBodies
  case tinyChunks
  case pagesUnread
  case rejectionsUnread

  /// Does it, `times` over, and returns what has to be kept so that it goes on.
  func attack(_ place: HostilePlace, times: Int) throws -> [ClientSocket] {
    switch self {
    case .idleOnMetrics: try (0..<times).map { _ in try ClientSocket(tcp: place.metrics) }
    case .halfHeads: try open(place, times, "GET /v1/costs HTTP/1.1\r\nHost:")
    case .braceAndStop: try open(place, times, "{")
    case .idleStreams: try open(place, times, "{}\n")
    case .nonsenseStream: try open(place, 2, String(repeating: "{}\n", count: 150 * times))
    case .nonsenseBody:
      try post(place, String(repeating: "1\n", count: place.bodyBytes / 2), lines: true)
    case .nonsenseArray:
      try post(place, "[" + String(repeating: "1,", count: place.bodyBytes / 2 - 1), lines: false)
    case .blankBody:
      try post(place, String(repeating: "\n", count: place.bodyBytes / 16), lines: true)
    case .manyKeys:
      try post(
        place,
        "{" + (0..<place.bodyBytes / 16).map { "\"\($0)\":1" }.joined(separator: ",") + "}",
        lines: false)
    case .slowBodies:
      try open(
        place, times, "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 16777216\r\n\r\n[")
    case .tinyChunks:
      try open(
        place, 4,
        "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
          + String(repeating: "1\r\n \r\n", count: 100 * times))
    case .pagesUnread:
      try open(
        place, min(times / 4, 60),
        String(
          repeating: "GET /v1/transactions?limit=1000 HTTP/1.1\r\nHost: a\r\n\r\n", count: 256))
    case .rejectionsUnread:
      try open(place, 8, String(repeating: "{\"id\":\"\"}\n", count: 40 * times))
    }
  }

  /// Sends without reading, as far as the server takes it.
  private func open(_ place: HostilePlace, _ count: Int, _ text: String) throws -> [ClientSocket] {
    let bytes = Array(text.utf8)
    return try (0..<count).map { _ in
      let socket = try ClientSocket(unix: place.socket)
      _ = bytes.withUnsafeBytes { System.send(socket.descriptor, $0) }
      return socket
    }
  }

  private func post(_ place: HostilePlace, _ body: String, lines: Bool) throws -> [ClientSocket] {
    let socket = try ClientSocket(unix: place.socket)
    let type = lines ? "application/x-ndjson" : "application/json"
    let head =
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n"
    try? socket.write(Array((head + body).utf8))
    return [socket]
  }
}

/// Where a server is found.
struct HostilePlace {
  var socket: String
  var metrics: String
  /// The largest body sent to it.
  var bodyBytes: Int
}
