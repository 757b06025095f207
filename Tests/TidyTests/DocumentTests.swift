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

  /// The maps of the sources name folders and files that are there, and leave no folder out.
  @Test func mapsNameWhatIsThere() throws {
    let folders = Set(
      Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
        .map { $0.path.split(separator: "/").dropLast().joined(separator: "/") })
    var told: Set<String> = []
    for (map, root) in [
      ("Sources/README.md", "Sources"), ("Sources/Store/README.md", "Sources/Store"),
    ] {
      let lines = try #require(Repository.read(map)).lines
      var base = root
      for line in lines {
        if line.hasPrefix("## ") {
          let name = line.split(whereSeparator: { " `".contains($0) }).last.map(String.init) ?? ""
          base = Repository.exists("\(root)/\(name)") ? "\(root)/\(name)" : root
        }
        for word in line.split(separator: "`").enumerated().filter({ $0.offset % 2 == 1 }) {
          let name = String(word.element)
          if name.hasSuffix(".swift"), !name.contains("*"), !name.contains("NAME") {
            let isThere = Repository.swiftFiles.contains { $0.path.hasSuffix("/" + name) }
            #expect(isThere, "\(map): \(name)")
          }
        }
        let first = line.split(separator: "`").first == "| " ? line.split(separator: "`")[1] : ""
        let path = "\(base)/\(first)"
        if folders.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) { told.insert(path) }
      }
    }
    // Deeper folders are told of by the files in them.
    let expected = folders.filter { folder in
      let depth = folder.split(separator: "/").count
      return folder.hasPrefix("Sources/Metering/") && depth == 3
        || folder.hasPrefix("Sources/Store/") && depth == 3
        || folder.hasPrefix("Sources/Store/Projections/") && depth == 4
    }
    #expect(expected.subtracting(told).sorted() == [])
  }

  @Test func topLevelIsAsDesigned() throws {
    let expected: Set<String> = [
      "Package.swift", "Sources", "Tests", "Config", "grafana", "README.md",
    ]
    #expect(Repository.topLevel.filter { !$0.hasPrefix(".") }.subtracting(expected) == [])
  }
}
