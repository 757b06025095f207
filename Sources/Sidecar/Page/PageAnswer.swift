package import Wire

/// The page as it is sent, and to whom.
package enum PageAnswer {
  /// 200 with a page that may load nothing, run nothing, be framed and kept nowhere.
  package static func response(_ snapshot: PageSnapshot) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)]
        + guards,
      body: Array(PageText.render(snapshot).utf8))
  }

  private static let policy =
    "default-src 'none'; style-src '\(PageStyle.digest)'; img-src data:; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"
  private static let guards = [
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// What is answered under another name than a local one: a web site that has its own name point
  /// here would otherwise read the page through its visitor's browser.
  package static let misdirected = HTTPResponse(
    status: 421,
    headers: [("Content-Type", "text/plain; charset=utf-8")] + guards,
    body: Array(
      """
      This page answers only under a local name, such as http://localhost:9469/ or
      http://127.0.0.1:9469/, so that no web site can read it through your browser.
      From another machine, open a tunnel: ssh -L 9469:127.0.0.1:9469 THIS-MACHINE

      """.utf8))

  /// Whether a request's `Host` names this machine to itself: `localhost`, a name below it, a
  /// loopback address; with or without a port.
  package static func isLocal(host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    let parts = host.split(separator: ":", omittingEmptySubsequences: false)
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      let rest = host[host.index(after: end)...]
      return host[...end] == "[::1]"
        && (rest.isEmpty || isPort(rest.dropFirst(), after: rest.first))
    }
    guard parts.count <= 2, parts.count == 1 || isPort(parts[1], after: ":") else { return false }
    let name = parts[0].hasSuffix(".") ? parts[0].dropLast() : parts[0]
    return name == "localhost" || name.hasSuffix(".localhost") || isLoopback(name)
  }

  private static func isPort(_ text: Substring, after mark: Character?) -> Bool {
    mark == ":" && UInt16(text) != nil && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// 127.0.0.0/8, written as four numbers.
  private static func isLoopback(_ name: Substring) -> Bool {
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127"
      && numbers.allSatisfy { number in
        (1...3).contains(number.count) && UInt8(number) != nil
          && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
  }
}
