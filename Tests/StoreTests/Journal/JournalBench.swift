import Metering
import Store

/// A journal on a simulated disk, with what was acknowledged.
struct JournalBench {
  static let segmentBytes = 16 << 10
  static let identity = StoreIdentity(
    id: Array(1...16), key: Array(17...32))

  var disk: SimulatedDisk
  var journal: Journal
  /// Bodies of acknowledged commits, by commit.
  var acknowledged: [[[UInt8]]] = []

  init(_ disk: SimulatedDisk = SimulatedDisk()) throws {
    self.disk = disk
    journal = try Self.open(disk)
  }

  static func open(_ disk: SimulatedDisk) throws -> Journal {
    try Journal.open(disk: disk, newIdentity: { identity }, segmentBytes: segmentBytes)
  }

  /// Bodies of commit `number`: one to three frames, a few up to thousands of bytes.
  static func bodies(_ number: Int) -> [[UInt8]] {
    var random = SplitMix(state: UInt64(number))
    return (0...Int.random(in: 0...2, using: &random)).map { _ in
      let count = Int.random(in: 0...3 * (number % 4) * 300 + 20, using: &random)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }

  static func append(_ bodies: [[UInt8]], to journal: Journal) throws {
    let kept = bodies.map {
      UnsafeMutableRawBufferPointer.allocate(byteCount: $0.count, alignment: 1)
    }
    defer { for buffer in kept { buffer.deallocate() } }
    let frames = zip(bodies, kept).map { body, buffer in
      buffer.copyBytes(from: body)
      return PendingFrame(
        kind: 7, receivedAt: Instant(microseconds: 1_000), floor: Instant(microseconds: -5),
        counts: FrameCounts(accepted: UInt32(body.count), rejected: 1),
        body: UnsafeRawBufferPointer(buffer))
    }
    try journal.append(frames)
  }

  /// Appends commit `number` and notes it once acknowledged.
  mutating func commit(_ number: Int) throws {
    let bodies = Self.bodies(number)
    try Self.append(bodies, to: journal)
    acknowledged.append(bodies)
  }

  /// All commits that a journal holds, after `sequence`.
  static func commits(of journal: Journal, after sequence: UInt64 = 0) throws -> [[[UInt8]]] {
    var commits: [[[UInt8]]] = []
    var open: [[UInt8]] = []
    try journal.scan(after: sequence) { frame in
      open.append(frame.body)
      guard frame.isLastOfCommit else { return }
      commits.append(open)
      open = []
    }
    return open.isEmpty ? commits : commits + [[]]
  }
}
