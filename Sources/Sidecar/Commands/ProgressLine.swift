/// How far long work is, on one line of the terminal; nothing where standard error is none.
struct ProgressLine {
  private static let pauseNanoseconds: UInt64 = 100_000_000

  private let what: String
  private let total: Int
  private let isShown: Bool
  private var last: UInt64 = 0

  /// Work on `total` things, told as "`what` 12 of 100".
  init(_ what: String, of total: Int) {
    self.what = what
    self.total = total
    isShown = CommandSystem.isTerminal(2)
  }

  /// Shows how many are done, ten times a second at most; cheap between.
  mutating func show(_ done: Int) {
    guard isShown else { return }
    let now = CommandSystem.monotonicNanoseconds()
    guard now - last > Self.pauseNanoseconds else { return }
    last = now
    Console.showProgress(text(done))
  }

  /// What is shown.
  func text(_ done: Int) -> String {
    let percent = total == 0 ? 100 : Int(Double(done) / Double(total) * 100)
    return "\(what) \(AmountText.grouped(String(done))) of \(AmountText.grouped(String(total)))"
      + ", \(percent) %"
  }

  /// Removes the line.
  func clear() {
    if isShown && last > 0 { Console.clearProgress() }
  }
}
