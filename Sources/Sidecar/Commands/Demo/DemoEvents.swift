import Metering

/// The events of the demonstration: always the same quantities, at times that follow the purchases.
struct DemoEvents {
  private static let hour: Int64 = 3_600_000
  /// How many lines are sent a second time, as after a lost answer.
  private static let repeated = 60

  private var random = RandomSequence(seed: 5_000)
  private let nowMilliseconds: Int64
  private(set) var lines: [String] = []

  init(nowMilliseconds: Int64) {
    self.nowMilliseconds = nowMilliseconds
    addCredits()
    addFailedDeliveries()
    addGenerations()
    addStorage()
    lines += lines.prefix(Self.repeated)
  }

  /// 1,000 chats that spend 4,000 credits, each with its tokens and its seconds on a small GPU.
  private mutating func addCredits() {
    for pair in 0..<500 {
      let credits = Int.random(in: 1...7, using: &random)
      for (index, amount) in [credits, 8 - credits].enumerated() {
        let number = pair * 2 + index
        let readings = [
          #"{"meter":"credits","quantity":\#(amount)}"#,
          tokens("input", 200...3_000), tokens("output", 50...1_500),
          gpu("l4", milliseconds: 300...4_000),
        ]
        add("chat-\(number)", "chat", .credits, minute: Int64(number) * 14, readings)
      }
    }
  }

  /// 40 jobs that ran while the credits could not be credited.
  private mutating func addFailedDeliveries() {
    for number in 0..<40 {
      let readings = [gpu("l4", milliseconds: 500...2_000)]
      add("retry-\(number)", "fulfilment", .undelivered, minute: Int64(number) * 3, readings)
    }
  }

  /// 300 generations on a large GPU, each with two language model calls and a check by a vendor
  /// who sends a bill.
  private mutating func addGenerations() {
    for number in 0..<300 {
      let minute = Int64(number) * 90
      let readings = [
        #"{"meter":"generations","quantity":1}"#,
        gpu("h100", milliseconds: 4_000...30_000),
        #"{"meter":"moderation","quantity":1,"cost":{"amount":"0.0015","currency":"USD"}}"#,
      ]
      add("render-\(number)", "render", .commitment, minute: minute, readings)
      for call in 0..<2 {
        let readings = [tokens("input", 500...6_000), tokens("output", 100...2_000)]
        add("prompt-\(number)-\(call)", "render", .commitment, minute: minute, readings)
      }
    }
  }

  /// What the generations keep on disk, every four hours for ten days, and nothing afterwards.
  private mutating func addStorage() {
    for number in 0...60 {
      let bytes = number == 60 ? 0 : (number + 1) * 350_000_000
      let readings = [#"{"meter":"storage","quantity":\#(bytes)}"#]
      add("disk-\(number)", "disk", .commitment, minute: Int64(number) * 240, readings)
    }
  }

  private mutating func tokens(_ direction: String, _ range: ClosedRange<Int>) -> String {
    let count = Int.random(in: range, using: &random)
    return """
      {"meter":"llm_tokens","quantity":\(count),\
      "attributes":{"model":"gpt-4o","direction":"\(direction)"}}
      """
  }

  private mutating func gpu(_ name: String, milliseconds range: ClosedRange<Int>) -> String {
    let time = Int.random(in: range, using: &random)
    let seconds = "\(time / 1000).\(String(time % 1000 + 1000).dropFirst())"
    return #"{"meter":"gpu_time","quantity":"\#(seconds)","attributes":{"gpu":"\#(name)"}}"#
  }

  /// One event of a purchase, so many minutes after its first hour.
  private mutating func add(
    _ id: String, _ source: String, _ purchase: DemoPurchase, minute: Int64, _ readings: [String]
  ) {
    let start = purchase.purchased(nowMilliseconds: nowMilliseconds) + Self.hour
    let time = Instant(milliseconds: start + minute * 60_000)
    lines.append(
      """
      {"id":"\(id)","source":"\(source)","time":"\(time.description)",\
      "transactionId":"\(purchase.id)","usage":[\(readings.joined(separator: ","))]}
      """)
  }
}
