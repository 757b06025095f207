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

/// The share of long work that is done, on one line of the terminal; nothing where standard error
/// is none.
struct PercentLine {
  private let isShown = CommandSystem.isTerminal(2)
  private var shown = ""

  /// Shows how much of `what` is done, a share of 1; cheap while the percentage stays.
  mutating func show(_ what: String, _ share: Double) {
    guard isShown else { return }
    let text = "\(what): \(Int(share * 100)) %"
    guard text != shown else { return }
    shown = text
    Console.showProgress(text)
  }

  /// Removes the line.
  func clear() {
    if isShown { Console.clearProgress() }
  }
}
