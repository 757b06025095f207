import Metering

extension Series {
  /// The series of a row. Throws a ``StoreFault`` for bytes of none, which only another program
  /// writes: pages have sums.
  init(stored bytes: UnsafeRawBufferPointer) throws {
    guard let series = Series(ifCanonical: bytes) else {
      throw StoreFault.ledger("a series in ledger.db is damaged")
    }
    self = series
  }
}
