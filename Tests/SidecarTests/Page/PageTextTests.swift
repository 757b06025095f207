import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// The page's text, without a server and without a browser.
@Suite("The page") struct PageTextTests {
  private static func text(showsIdentifiers: Bool = false) throws -> String {
    String(
      decoding: try PageSample.response(showsIdentifiers: showsIdentifiers).body, as: UTF8.self)
  }

  @Test func holdsTheFigures() throws {
    let text = try Self.text()
    for piece in [
      "<html lang=\"en\">", "<caption>3 open, the most urgent first.</caption>",
      "<span class=\"w\">9 h 0 min</span>", "<data value=\"12.345\">12.35</data>",
      "<data value=\"1000.5\">1,000.50</data>", "<data value=\"4.5\">4.50</data> EUR",
      "1 thing needs a look.", "takes no events", "<td>1,234,567</td>",
      "highest day 2.50 USD", "<h3>EUR</h3>", "in all 3.75 USD",
      "<time datetime=\"2026-11-30\">2026-11-30</time></th><td class=\"n\"><data value=\"1.25\">",
    ] { #expect(text.contains(piece), "\(piece)") }
    // What is older than the days shown isn't in them.
    #expect(!text.contains("999"))
  }

  @Test func whatCameFromOutsideStaysText() throws {
    let text = try Self.text()
    #expect(!text.contains("<img") && !text.contains("<b>"))
    #expect(!text.unicodeScalars.contains("\u{202E}") && !text.unicodeScalars.contains("\u{1B}"))
    #expect(
      text.contains("&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;\u{FFFD}\u{FFFD}"))
  }

  @Test func idsAreShownOnlyWhereTheyMay() throws {
    for id in ["secret-7", "ABCDEF12", "abcdef12"] {
      #expect(try !Self.text().contains(id))
    }
    let open = try Self.text(showsIdentifiers: true)
    #expect(open.contains("<td>secret-7</td>") && open.contains("abcdef12-0000"))
    #expect(open.contains("Purchases by cost at risk"))
  }

  /// HTML that is also XML is free of elements and quotes that don't match.
  @Test func isWellFormed() throws {
    for showsIdentifiers in [false, true] {
      var text = try Self.text(showsIdentifiers: showsIdentifiers)
      text = text.replacing("<!DOCTYPE html>", with: "")
      for tag in ["meta", "link"] {
        text = text.replacing(try Regex("<\(tag) [^>]*>"), with: "")
      }
      #expect(text.hasSuffix("</body></html>\n"))
      var open: [Substring] = []
      for match in text.matches(of: /<(\/?)([a-z0-9]+)([^<>]*?)(\/?)>/) {
        let (_, end, name, _, isEmpty) = match.output
        if !isEmpty.isEmpty { continue }
        if end.isEmpty { open.append(name) } else { #expect(open.popLast() == name) }
      }
      #expect(open == [])
    }
  }

  @Test func anEmptyStoreHasAPageToo() {
    let answers = Answers(
      reading: FakeQueries(), configuration: testConfiguration(), now: PageSample.now)
    let response = answers.page(MetricsSnapshot(version: "0"))
    #expect(response.status == 200)
    let text = String(decoding: response.body, as: UTF8.self)
    for piece in ["No purchase is known yet.", "None is open.", "No cost in the last days."] {
      #expect(text.contains(piece))
    }
  }

  @Test func aStoreThatCannotBeReadSaysSo() {
    var reading = FakeQueries()
    reading.fails = true
    let answers = Answers(
      reading: reading, configuration: testConfiguration(), now: PageSample.now)
    #expect(
      summary(answers.page(MetricsSnapshot(version: "0"))) == "503 store_unavailable")
  }

  @Test func loadsAndRunsNothing() throws {
    let response = try PageSample.response(showsIdentifiers: false)
    let policy = try #require(response.header("Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; style-src '\(PageStyle.digest)'; "))
    for piece in ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
      #expect(policy.contains(piece))
    }
    #expect(response.header("X-Content-Type-Options") == "nosniff")
    #expect(response.header("Referrer-Policy") == "no-referrer")
    #expect(response.header("Cache-Control") == "no-store")
    #expect(response.header("Content-Type") == "text/html; charset=utf-8")
    let text = String(decoding: response.body, as: UTF8.self)
    for piece in ["<script", "http://", "https://", "style=", "url(", "@import"] {
      #expect(!text.contains(piece), "\(piece)")
    }
  }

  /// The policy lets through the style that is there, by a digest that somebody else made.
  @Test func theDigestIsOfTheStyle() throws {
    let python = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [
      "-c",
      """
      import base64, hashlib, sys
      digest = hashlib.sha256(sys.stdin.buffer.read()).digest()
      print("sha256-" + base64.b64encode(digest).decode(), end="")
      """,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("\(PageStyle.sheet)".utf8))
    try input.fileHandleForWriting.close()
    let digest = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(PageStyle.digest == String(decoding: digest, as: UTF8.self))
  }

  @Test(
    arguments: [
      ("localhost", true), ("localhost:9469", true), ("LOCALHOST:1", true), ("a.localhost", true),
      ("localhost.:80", true), ("127.0.0.1:9469", true), ("127.9.8.7", true), ("[::1]:9469", true),
      ("[::1]", true), ("", false), ("evil.example", false), ("localhost.evil.example", false),
      ("127.0.0.1.evil.example", false), ("127.0.0.256", false), ("127.0.0", false),
      ("10.0.0.1:9469", false), ("[::2]:80", false), ("localhost:", false), ("localhost:x", false),
      ("localhost:99999", false), ("localhost:1:2", false), ("::1", false), ("[::1]x", false),
      ("notlocalhost", false), ("127.+0.0.1", false),
    ])
  func onlyLocalNamesAreAnswered(host: String, isLocal: Bool) {
    #expect(PageAnswer.isLocal(host: host) == isLocal)
  }

  @Test func aRequestWithoutNameIsNotAnswered() { #expect(!PageAnswer.isLocal(host: nil)) }
}
