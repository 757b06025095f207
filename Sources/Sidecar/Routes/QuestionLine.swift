/// Questions that wait for the one reader, in two lines: short ones, about one purchase or
/// customer, and long ones, such as pages. Short ones go first, but after some of them a long one
/// has its turn, so that neither waits for many of the other. In each line, first come, first
/// served: a connection asks one question at a time, so that is round by round among connections.
struct QuestionLine<Item> {
  /// Short questions answered between two long ones.
  private static var shortRun: Int { 8 }

  private var short: ArraySlice<Item> = []
  private var long: ArraySlice<Item> = []
  private var run = 0

  /// Questions that wait.
  var count: Int { short.count + long.count }

  mutating func enter(_ item: Item, isShort: Bool) {
    if isShort { short.append(item) } else { long.append(item) }
  }

  /// Takes out the question whose turn it is; nil when none waits.
  mutating func next() -> Item? {
    if let item = short.first, run < Self.shortRun || long.isEmpty {
      short = short.dropFirst()
      run = long.isEmpty ? 0 : run + 1
      return item
    }
    run = 0
    guard let item = long.first else { return nil }
    long = long.dropFirst()
    return item
  }
}
