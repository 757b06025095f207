import Foundation
import FuzzTargets
import Testing

/// Every target over its corpus and over mutations of it, in a process of its own: a finding is a
/// trap, and what it was is in the file that the failure names.
@Suite("Fuzzing") struct FuzzTests {
  /// Times a target's own number of mutations.
  private static let length =
    ProcessInfo.processInfo.environment["OUTLAY_LONG"] == nil ? 1 : 100

  private static let seed =
    ProcessInfo.processInfo.environment["OUTLAY_SEED"].map { text in
      text.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    } ?? 1

  @Test("nothing that comes in traps", arguments: FuzzTarget.all.map(\.name))
  func holds(_ name: String) async throws {
    let input = FuzzInput()
    defer { input.remove() }
    let (path, seed, length) = (input.path, Self.seed, Self.length)
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [name, path = path as String, seed = seed as UInt64, length = length as Int] in
      try FuzzLoop(name, noting: path).run(seed: seed, length: length, broken: .none)
    }
    if result == nil { Issue.record("seed \(seed), the input was \(input.description)") }
  }

  /// A trap where only good inputs come, and a twin that doesn't agree, are found: so each target
  /// can fail, and comes to where failing would matter.
  @Test(
    "what is broken is found", arguments: FuzzTarget.all.map(\.name), [FuzzBreak.trap, .twin])
  func finds(_ name: String, _ broken: FuzzBreak) async throws {
    let input = FuzzInput()
    defer { input.remove() }
    let path = input.path
    await #expect(processExitsWith: .failure) {
      [name, broken, path = path as String] in
      try FuzzLoop(name, noting: path).run(seed: 1, length: 1, broken: broken)
    }
  }
}

/// The file that holds the input being tried.
private struct FuzzInput {
  let path = NSTemporaryDirectory() + "outlay-fuzz-" + UUID().uuidString

  /// The bytes, in Base64 so that any survive.
  var description: String {
    (FileManager.default.contents(atPath: path) ?? Data()).base64EncodedString()
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A target's corpus and what is made of it.
private struct FuzzLoop {
  private let target: FuzzTarget
  private let path: String

  struct Missed: Error {}

  init(_ name: String, noting path: String) throws {
    guard let target = FuzzTarget.named(name) else { throw Missed() }
    self.target = target
    self.path = path
  }

  /// Throws when no input came to the target's goal.
  func run(seed: UInt64, length: Int, broken: FuzzBreak) throws {
    let pool = try target.seeds() + corpus()
    try Data().write(to: URL(fileURLWithPath: path))
    let note = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    var reached: Set<String> = []
    func attempt(_ input: [UInt8]) throws {
      try note.truncate(atOffset: 0)
      try note.write(contentsOf: input)
      reached.formUnion(target.run(input, broken: broken))
    }
    for input in pool { try attempt(input) }
    var mutator = FuzzMutator(seed: seed, pool: pool, words: target.words)
    for _ in 0..<target.rounds * length { try attempt(mutator.next()) }
    guard reached.contains(target.goal) else { throw Missed() }
  }

  private func corpus() throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Corpora/\(target.name)")
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      return []
    }
    return try names.sorted().map { Array(try Data(contentsOf: folder.appendingPathComponent($0))) }
  }
}
