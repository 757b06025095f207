import Testing

@testable import Sidecar

@Suite struct QuestionLineTests {
  @Test func shortOnesPassLongOnesButNotForEver() {
    var line = QuestionLine<String>()
    for number in 0..<60 { line.enter("long \(number)", isShort: false) }
    for number in 0..<20 { line.enter("short \(number)", isShort: true) }
    let order = (0..<80).compactMap { _ in line.next() }
    #expect(order.first == "short 0" && order.count == 80 && line.next() == nil)
    #expect(order.filter { $0.hasPrefix("long") } == (0..<60).map { "long \($0)" })
    #expect(order.filter { $0.hasPrefix("short") } == (0..<20).map { "short \($0)" })
    // Nobody waits for more than a few of the others.
    #expect(order.firstIndex(of: "long 0") == 8 && order.firstIndex(of: "short 19") == 21)
  }
}
