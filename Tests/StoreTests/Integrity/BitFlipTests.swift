import Foundation
import Metering
import Testing

@testable import Store

/// One bit flipped anywhere in a store at rest is named, healed from the journal, or without effect
/// on any answer.
@Suite("Flipped bits") struct BitFlipTests {
  /// What became of a flip.
  enum Outcome: String {
    /// The store refuses, and says which file and where.
    case named
    /// The ledger was made anew from the journal when the store was opened.
    case healed
    /// The same, when an answer met the damage.
    case healedLater
    case without
  }

  private static func flip(_ place: StorePlaces.Place, _ seed: inout Seed, in path: String) throws
    -> String
  {
    let offset = place.range.lowerBound + seed.below(place.range.count)
    let bit = seed.below(8)
    let file = try LinuxDisk(root: path).open(place.file, create: false)
    var byte = try file.read(count: 1, at: offset)
    byte[0] ^= 1 << bit
    try byte.withUnsafeBytes { try file.write($0, at: offset) }
    return "bit \(bit) of byte \(offset) of \(place.file)"
  }

  /// Opens a damaged store, asks it everything, and verifies it. Throws what isn't named.
  private static func outcome(
    of path: String, _ image: StoreImage, expected: [String]
  ) throws -> Outcome {
    let opened: (books: Books, report: OpeningReport)
    do {
      opened = try image.open(path)
    } catch let fault as StoreFault {
      guard "\(fault)".contains("journal/") || "\(fault)".contains("ledger.db") else {
        throw fault
      }
      return .named
    }
    var isHealedLater = false
    var answers: [String] = []
    do {
      answers = try image.answers(of: opened.books)
    } catch let fault as StoreFault where "\(fault)".contains("journal/") {
      // A start reads what the ledger doesn't cover; a single event of before is met by who asks.
      return .named
    } catch {
      // A question or an event met it.
      guard opened.books.damage?.contains("ledger.db") == true else { throw error }
      _ = try opened.books.rebuildLedger()
      isHealedLater = true
      answers = try image.answers(of: opened.books)
    }
    try opened.books.close()
    if isHealedLater {
      // Events that were sent twice were counted as duplicates twice.
      let counts = answers.indices.filter { answers[$0] != expected[$0] }
      #expect(answers.count == expected.count && counts.count <= 1)
    } else if answers != expected {
      let other = zip(answers, expected).first { $0 != $1 }
      Issue.record("answered \(other?.0 ?? "less"), not \(other?.1 ?? "as much")")
    }
    // What no answer reads, this does.
    let isWhole = opened.report.setAside == nil && !isHealedLater
    do {
      let found = try Verification.run(directory: path, disk: LinuxDisk(root: path))
      for difference in found.differences {
        #expect(isWhole && difference.hasPrefix("ledger.db: offset"))
      }
    } catch StoreFault.ledger(let detail) where isWhole {
      #expect(detail.hasPrefix("ledger.db: offset"))
    }
    if isHealedLater { return .healedLater }
    return opened.report.setAside == nil ? .without : .healed
  }

  @Test("are named, healed or without effect, whatever they hit") func anywhere() throws {
    let image = try StoreImage(seed: 11)
    let whole = try image.copy()
    let places = try StorePlaces(whole.path).places
    let expected = try image.answers(of: image.open(whole.path).books)
    withExtendedLifetime(whole) {}
    for kind in [
      "segment header", "space left", "space ahead", "frame", "frame header", "last frame",
      "log header", "log frame header", "log page", "spare", "lock", "journal/synced",
      "ledger.db-checkpoint", "page: purchase leaf", "page: block leaf", "page: block internal",
      "page: filter leaf", "page: meta leaf", "page: rollup leaf",
      "page: sqlite_schema leaf",
    ] { #expect(places[kind] != nil, "no \(kind) in the image") }
    var seed = Seed(Chance.seed)
    var counts: [String: [Outcome: Int]] = [:]
    for kind in places.keys.sorted() {
      guard let all = places[kind] else { continue }
      for _ in 0..<(Chance.isLong ? 60 : 1) {
        let copy = try image.copy()
        defer { withExtendedLifetime(copy) {} }
        let what = try Self.flip(seed.pick(all), &seed, in: copy.path)
        do {
          let outcome = try Self.outcome(of: copy.path, image, expected: expected)
          counts[kind, default: [:]][outcome, default: 0] += 1
        } catch {
          Issue.record("\(kind): \(what): \(error)")
        }
      }
    }
    for (kind, outcomes) in counts.sorted(by: { $0.key < $1.key }) {
      print("\(kind): \(outcomes.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", "))")
    }
    #expect(Set(counts.keys) == Set(places.keys))
    let sealed = ["frame", "frame header", "last frame", "last frame header", "segment header"]
    for kind in sealed { #expect(Set(counts[kind, default: [:]].keys) == [.named], "\(kind)") }
  }
}
