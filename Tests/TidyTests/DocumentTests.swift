import Foundation
import Testing

/// The README names files that exist.
struct DocumentTests {
  private static let folders = ["Sources/", "Tests/", "Config/", "grafana/", ".ci/"]

  @Test func namedFilesExist() throws {
    let readme = try #require(Repository.read("README.md"))
    var named: [String] = []
    for line in readme.lines {
      for piece in line.split(separator: "`") {
        guard let word = piece.split(separator: " ").first else { continue }
        if Self.folders.contains(where: word.hasPrefix) { named.append(String(word)) }
      }
      for piece in line.components(separatedBy: "](").dropFirst() {
        let target = piece.prefix { $0 != ")" && $0 != "#" }
        if !target.isEmpty && !target.hasPrefix("http") { named.append(String(target)) }
      }
    }
    #expect(named.filter { !Repository.exists($0) } == [])
    #expect(named.contains("Config/setup"))
  }

  @Test func topLevelIsAsDesigned() throws {
    let expected: Set<String> = [
      "Package.swift", "Sources", "Tests", "Config", "grafana", "README.md",
    ]
    #expect(Repository.topLevel.filter { !$0.hasPrefix(".") }.subtracting(expected) == [])
  }
}
