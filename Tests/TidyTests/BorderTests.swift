import Testing

/// The arrows of the design: which target may see which module.
struct BorderTests {
  private static let allowed: [String: Set<String>] = [
    "Metering": [],
    "Store": ["Metering", "CSQLite", "Glibc"],
    "Wire": ["CLinux", "CCurl", "Glibc", "Synchronization"],
    "AppStore": ["Metering", "CCrypto"],
    "Sidecar": [
      "Metering", "Store", "Wire", "AppStore", "CLinux", "Foundation", "Dispatch",
      "Synchronization", "Glibc",
    ],
    "outlay": ["Sidecar", "Foundation"],
  ]
  /// Folders that may name a C library.
  private static let libraries: [String: [String]] = [
    "CSQLite": ["Sources/Store/SQLite", "Sources/Store/Ledger"],
    "CCurl": ["Sources/Wire/Client"],
    "CCrypto": ["Sources/AppStore/Crypto"],
  ]

  private struct Import {
    var place: String
    var target: String
    var module: String
  }

  private static let imports: [Import] = Repository.swiftFiles.flatMap { file -> [Import] in
    guard file.path.hasPrefix("Sources/"), file.folders.count > 1 else { return [] }
    return file.lines.enumerated().compactMap { index, line in
      let words = line.split(separator: " ")
      guard let keyword = words.firstIndex(of: "import"), line.first != " ",
        words[..<keyword].allSatisfy({ $0.first == "@" || $0 == "package" || $0 == "internal" }),
        keyword + 1 < words.count
      else { return nil }
      return Import(
        place: "\(file.path):\(index + 1)", target: file.folders[1],
        module: String(words[keyword + 1]))
    }
  }

  @Test func targetsSeeOnlyWhatTheyMay() {
    let wrong = Self.imports.filter { Self.allowed[$0.target]?.contains($0.module) != true }
      .map { "\($0.place): \($0.target) may not import \($0.module)" }
    #expect(wrong == [])
  }

  @Test func librariesHaveOneFolder() {
    let wrong = Self.imports.filter { found in
      guard let folders = Self.libraries[found.module] else { return false }
      return !folders.contains { found.place.hasPrefix($0 + "/") }
    }.map { "\($0.place): \($0.module)" }
    #expect(wrong == [])
  }

  @Test func someImportsAreFound() {
    // A reader of source that finds nothing would find nothing wrong either.
    #expect(Self.imports.contains { $0.module == "CSQLite" })
    #expect(Self.imports.contains { $0.module == "Metering" && $0.target == "Sidecar" })
  }
}
