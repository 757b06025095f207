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
