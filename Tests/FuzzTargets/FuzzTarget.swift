import Foundation

/// One way in for bytes from outside, with everything that must hold whatever they are: nothing
/// traps, and where two ways lead to one meaning, they agree.
///
/// The same functions serve the tests, which replay corpora and mutate them from a seed, and the
/// program of Tests/FuzzProgram, which libFuzzer drives. A finding is a trap.
package struct FuzzTarget: Sendable {
  /// Also the folder of its corpus.
  package let name: String
  /// The place that only good inputs reach: a fuzzer that never comes there tries nothing.
  package let goal: String
  /// What inputs are made of, beside the corpus.
  package let words: [String]
  /// Mutations that an ordinary run of the tests tries: what it does in some tenths of a second.
  package let rounds: Int
  /// Inputs to begin with, made by whoever writes the format, so that they change with it.
  package let seeds: @Sendable () -> [[UInt8]]
  let check: @Sendable (UnsafeRawBufferPointer, inout FuzzRun) -> Void

  package init(
    name: String, goal: String, words: [String] = [], rounds: Int = 1_500,
    seeds: @escaping @Sendable () -> [[UInt8]],
    check: @escaping @Sendable (UnsafeRawBufferPointer, inout FuzzRun) -> Void
  ) {
    self.name = name
    self.goal = goal
    self.words = words
    self.rounds = rounds
    self.seeds = seeds
    self.check = check
  }

  /// Tries one input and returns the places that it reached. Traps when something doesn't hold.
  @discardableResult
  package func run(_ input: UnsafeRawBufferPointer, broken: FuzzBreak = .none) -> Set<String> {
    var run = FuzzRun(goal: goal, broken: broken)
    check(input, &run)
    return run.reached
  }

  /// The same for bytes in an array, copied so that a read beyond them shows under a sanitizer.
  @discardableResult
  package func run(_ input: [UInt8], broken: FuzzBreak = .none) -> Set<String> {
    let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
    defer { exact.deallocate() }
    exact.copyBytes(from: input)
    return run(UnsafeRawBufferPointer(exact), broken: broken)
  }
}

/// What is broken on purpose, to see that it is found.
package enum FuzzBreak: String, CaseIterable, Codable, Sendable {
  case none
  /// A trap is planted where only good inputs come.
  case trap
  /// One of the ways that must agree is a twin that doesn't.
  case twin
}

/// One input's way through a target.
package struct FuzzRun {
  private let goal: String
  private let broken: FuzzBreak
  package private(set) var reached: Set<String> = []

  init(goal: String, broken: FuzzBreak) {
    self.goal = goal
    self.broken = broken
  }

  /// Whether the target takes its broken twin.
  var takesTwin: Bool { broken == .twin }

  /// Notes a place.
  mutating func reach(_ place: String) {
    reached.insert(place)
    if broken == .trap && place == goal { fail("the planted trap") }
  }

  /// Traps unless two ways came to the same.
  func agree<Value: Equatable>(_ left: Value, _ right: Value, _ what: String) {
    if left != right { fail("\(what)\n  one:   \(left)\n  other: \(right)") }
  }

  /// Traps unless something holds.
  func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fail(what()) }
  }

  /// Says what doesn't hold, and traps.
  func fail(_ what: String) -> Never {
    FileHandle.standardError.write(Data("finding: \(what)\n".utf8))
    preconditionFailure(what)
  }
}
