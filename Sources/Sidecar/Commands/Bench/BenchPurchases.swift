import Foundation
import Synchronization
import Wire

/// Registers the purchases that the bench's events name.
struct BenchPurchases {
  /// What the ids begin with; seven digits follow.
  static let identifierPrefix = "70000000"
  static let maximum = 10_000_000
  static let products = 4
  private static let batch = 250

  /// The members of the configuration that the events and purchases need.
  static let configuration = """
      meters: { llm_tokens: { unit: "{token}", attributes: ["model", "direction"] } },
      prices: [
    \(prices)  ],
      products: {
        "com.example.bench.0": { allowance: { llm_tokens: "100000" } },
        "com.example.bench.1": { allowance: { llm_tokens: "200000" } },
        "com.example.bench.2": { allowance: { llm_tokens: "500000" } },
        "com.example.bench.3": { allowance: { llm_tokens: "1000000" } },
      },
    """

  private static let prices = [
    ("gpt-4o", "input", "2.50"), ("gpt-4o", "output", "10.00"),
    ("claude-sonnet-4", "input", "3.00"), ("claude-sonnet-4", "output", "15.00"),
  ].map { model, direction, price in
    """
        { meter: "llm_tokens", where: { model: "\(model)", direction: "\(direction)" },
          price: "\(price)", per: "1000000", currency: "USD" },

    """
  }.joined()

  /// What all threads have done.
  private final class Shared: Sendable {
    let faults = Mutex<[String]>([])
    let registered = Atomic<Int>(0)
  }

  /// Registers so many by pipelined requests over several connections, untimed.
  /// Throws the first fault.
  static func register(
    _ count: Int, connections: Int, address: ServerAddress
  ) throws(CommandFailure) {
    let shared = Shared()
    let group = DispatchGroup()
    let purchased = (CommandSystem.wallMicroseconds() / 1000) - 30 * 86_400_000
    for worker in 0..<connections {
      group.enter()
      let thread = Thread {
        defer { group.leave() }
        do throws(CommandFailure) {
          try work(worker, of: connections, count, purchased, address, shared)
        } catch {
          shared.faults.withLock { $0.append(error.description) }
        }
      }
      thread.start()
    }
    var progress = ProgressLine("registered", of: count)
    while group.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      progress.show(shared.registered.load(ordering: .relaxed))
    }
    progress.clear()
    if let fault = shared.faults.withLock({ $0.first }) { throw CommandFailure(fault) }
  }

  private static func work(
    _ worker: Int, of workers: Int, _ count: Int, _ purchased: Int64, _ address: ServerAddress,
    _ shared: Shared
  ) throws(CommandFailure) {
    let client = try address.connect()
    var next = worker
    while next < count {
      if CommandSystem.isEndRequested { throw CommandFailure("interrupted") }
      if shared.faults.withLock({ !$0.isEmpty }) { return }
      var requests: [ClientRequest] = []
      while next < count && requests.count < batch {
        requests.append(request(next, purchased: purchased))
        next += workers
      }
      let answers: [HTTPResponse]
      do throws(WireError) {
        answers = try client.sendAll(requests)
      } catch {
        throw CommandFailure("registering purchases: \(error)")
      }
      let refused = answers.first { !(200..<300).contains($0.status) }
      guard refused == nil, answers.count == requests.count else {
        let text = refused.map { String(decoding: $0.body, as: UTF8.self) } ?? "too few answers"
        throw CommandFailure("registering purchases: \(text)")
      }
      shared.registered.add(requests.count, ordering: .relaxed)
    }
  }

  private static func request(_ index: Int, purchased: Int64) -> ClientRequest {
    let digits = String(maximum + index).dropFirst()
    let id = identifierPrefix + digits
    let body = """
      {"transactionId":"\(id)","originalTransactionId":"\(id)","bundleId":"com.example.app",\
      "productId":"com.example.bench.\(index % products)","type":"Consumable","quantity":1,\
      "purchaseDate":\(purchased),"inAppOwnershipType":"PURCHASED","environment":"Production",\
      "storefront":"USA","currency":"USD","price":9990}
      """
    return ClientRequest(
      "PUT", "/v1/transactions/\(id)", headers: [("Content-Type", "application/json")],
      body: Array(body.utf8))
  }
}
