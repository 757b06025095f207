/// A frame's facts before the journal gives it a place. One thread fills it, so its hot properties
/// do without dynamic checks of exclusive access.
package final class FrameBody {
  /// The facts.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: writer.start, count: writer.count)
  }
  @exclusivity(unchecked) package internal(set) var accepted: UInt32 = 0
  package internal(set) var duplicates: UInt32 = 0
  package internal(set) var conflicts: UInt32 = 0
  package internal(set) var rejected: UInt32 = 0
  /// Of the usage facts, in order.
  @exclusivity(unchecked) package internal(set) var expected: ContiguousArray<ExpectedPlaces> = []
  /// Facts with a location written so far.
  @exclusivity(unchecked) var located = 0
  @exclusivity(unchecked) var writer: FactWriter
  /// Definitions so far; readers number them in order.
  var seriesCount = 0
  var bookingCount = 0
  var seriesNumbers: [Int: Int] = [:]
  @exclusivity(unchecked) var bookingNumbers = NumberTable<BookingKey>()
  var definedSeries: [Series: Int] = [:]
  var definedBookings: [DefinedBooking: Int] = [:]

  init() {
    let start = UnsafeMutableRawPointer.allocate(
      byteCount: Limits.frameCapacityBytes, alignment: 16)
    writer = FactWriter(start: start, capacity: Limits.frameCapacityBytes)
  }

  deinit { writer.start.deallocate() }

  func removeAll() {
    writer.count = 0
    accepted = 0
    duplicates = 0
    conflicts = 0
    rejected = 0
    located = 0
    expected.removeAll(keepingCapacity: true)
    seriesCount = 0
    bookingCount = 0
    seriesNumbers.removeAll(keepingCapacity: true)
    bookingNumbers.removeAll()
    definedSeries.removeAll(keepingCapacity: true)
    definedBookings.removeAll(keepingCapacity: true)
  }
}

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

  /// The frame that has room for `bytes` more.
  mutating func frame(for bytes: Int) -> FrameBody {
    if let last = frames.last, last.located < Limits.frameFacts,
      last.writer.count == 0 || last.writer.count + bytes <= Limits.frameBytes
    {
      return last
    }
    let next = spare.popLast() ?? FrameBody()
    frames.append(next)
    return next
  }

  /// Forgets the frames, keeping their memory.
  mutating func removeAll() {
    for frame in frames { frame.removeAll() }
    if spare.count < Limits.spareFrames { spare += frames }
    frames.removeAll(keepingCapacity: true)
  }
}

extension Limits {
  /// Room of one frame, bytes: an event of 64 KiB with 64 readings, each naming its own series,
  /// booked again to others with product ids as long as they may be, stays below.
  static let frameCapacityBytes = 512 << 10
  /// Facts with a location in one frame: a location has 12 bits for them.
  static let frameFacts = 4_000
  /// Frame buffers kept between commits: 16 MiB.
  static let spareFrames = 64
}
