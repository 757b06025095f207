import Metering
import Testing

@testable import Store

/// A journal whose sums all fit, yet whose facts no program of this format wrote: a store opens
/// with none of it, and the frame is named.
@Suite("Foreign frames") struct ForeignFrameTests {
  private static let bodies: [(name: String, body: [UInt8])] = [
    ("an unknown fact", [99]),
    ("a booking of no series", [2, 0, 0] + [UInt8](repeating: 0, count: 12)),
    ("a moved booking that isn't there", [12, 1, 9, 9] + [UInt8](repeating: 0, count: 70)),
    ("a change of nothing known", [18, 99, 1, 0x61]),
    ("work that nobody knows", [15, 99, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)),
    ("a text beyond the end", [6, 200, 1]),
  ]

  private static func write(_ bodies: [[UInt8]], in scratch: ScratchBooks) throws {
    let journal = try Journal.open(
      disk: LinuxDisk(root: scratch.directory),
      newIdentity: { StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16)) })
    for body in bodies {
      _ = try body.withUnsafeBytes {
        try journal.append([
          PendingFrame(
            receivedAt: ScratchBooks.now, floor: ScratchBooks.now, body: $0)
        ]) { _ in }
      }
    }
  }

  @Test("are refused by name", arguments: bodies.indices) func refused(number: Int) throws {
    let scratch = try ScratchBooks()
    let (name, body) = Self.bodies[number]
    // A source's mark, which makes sense.
    let mark: [UInt8] = [6, 1, 0x61] + [UInt8](repeating: 0, count: 8)
    try Self.write([mark, body], in: scratch)
    let fault = #expect(throws: StoreFault.self, "\(name)") {
      _ = try scratch.open("{ meters: { m: { unit: \"1\" } } }")
    }
    guard case .damaged(let detail)? = fault else {
      Issue.record("\(name): \(String(describing: fault))")
      return
    }
    #expect(detail.hasPrefix("frame 2: a frame of the journal holds facts that make no sense: "))
  }

  @Test("but what makes sense opens") func right() throws {
    let scratch = try ScratchBooks()
    try Self.write([[6, 1, 0x61] + [UInt8](repeating: 0, count: 8)], in: scratch)
    _ = try scratch.open("{ meters: { m: { unit: \"1\" } } }")
  }
}
