/// What makes two bookings of a frame the same: shape, epoch and label by number.
struct BookingKey: Hashable {
  var shape: Int32
  var epoch: Int32
  var label: Int32
}

/// Collects the facts of one commit in frames. A frame is closed when it has reached
/// ``Limits/frameBytes``; one large event may exceed that, up to its capacity.
struct EntryBuilder: ~Copyable {
  private(set) var frames: [FrameBody] = []
  private var spare: [FrameBody] = []
  /// Bytes of the frames before the last.
  private var closedBytes = 0

  /// Bytes of facts so far, with the frames' heads.
  var byteCount: Int { closedBytes + (frames.last?.writer.count ?? 0) }

  /// The frame that has room for `bytes` more.
  mutating func frame(for bytes: Int) -> FrameBody {
    if let last = frames.last, last.located < Limits.frameFacts,
      last.writer.count == 0 || last.writer.count + bytes <= Limits.frameBytes
    {
      return last
    }
    closedBytes = byteCount + Limits.frameHeadBytes
    let next = spare.popLast() ?? FrameBody()
    frames.append(next)
    return next
  }

  /// Forgets the frames, keeping some of their memory.
  mutating func removeAll() {
    for frame in frames { frame.removeAll() }
    spare += frames.prefix(max(0, Limits.spareFrames - spare.count))
    frames.removeAll(keepingCapacity: true)
    closedBytes = 0
  }
}

extension Limits {
  /// What the journal puts before a frame's facts and behind them, bytes, at most.
  package static let frameHeadBytes = 88
  /// Facts with a location in one frame: a location has 12 bits for them.
  static let frameFacts = 4_000
  /// Frame buffers kept between commits: 16 MiB.
  static let spareFrames = 64
}
