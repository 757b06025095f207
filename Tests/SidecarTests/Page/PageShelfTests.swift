import Testing
import Wire

@testable import Sidecar

/// How long one page is shown to all, with a clock that the test moves.
@Suite("The shelf of the page") struct PageShelfTests {
  private static let fresh = PageShelf.freshNanoseconds

  /// The pages shown at these instants, by the number of their making.
  private static func shown(
    _ shelf: inout PageShelf, _ instants: [UInt64], status: Int = 200
  ) -> [String] {
    var made = 0
    return instants.map { now in
      let page = shelf.page(at: now) {
        made += 1
        return HTTPResponse(status: status, headers: [], body: Array("\(made)".utf8))
      }
      return String(decoding: page.body, as: UTF8.self)
    }
  }

  @Test func showsOnePageToAllWhoAskWithinSeconds() {
    var shelf = PageShelf()
    let instants = [100, 100, 99 + Self.fresh, 100 + Self.fresh, 99 + 2 * Self.fresh]
    #expect(Self.shown(&shelf, instants) == ["1", "1", "1", "2", "2"])
  }

  @Test func keepsNoFault() {
    var shelf = PageShelf()
    #expect(Self.shown(&shelf, [0, 1, 2], status: 503) == ["1", "2", "3"])
    #expect(Self.shown(&shelf, [3, 4]) == ["1", "1"])
  }

  @Test func makesAnotherOnceCleared() {
    var shelf = PageShelf()
    #expect(Self.shown(&shelf, [0]) == ["1"])
    shelf.clear()
    #expect(Self.shown(&shelf, [1, 2]) == ["1", "1"])
  }

  @Test func isWellWithinTheLagOfFigures() { #expect(Self.fresh <= 5_000_000_000) }
}
