import Foundation

/// The checked-out sources.
enum Repository {
  /// One text file.
  struct File: Sendable {
    /// Relative to the repository.
    var path: String
    var lines: [String]

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Every Swift file, except this folder's own, which names what it forbids.
  static let swiftFiles: [File] =
    ["Sources", "Tests"].flatMap(files(below:))
    + [
      read("Package.swift")
    ].compactMap(\.self)

  static var topLevel: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/\(path)")
  }

  static func read(_ path: String) -> File? {
    guard let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) else {
      return nil
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return File(path: path, lines: lines.last == "" ? lines.dropLast() : lines)
  }

  private static func files(below folder: String) -> [File] {
    let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects ?? []
    return names.compactMap { $0 as? String }.sorted()
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("TidyTests/") }
      .compactMap { read("\(folder)/\($0)") }
  }
}
