package import Metering

extension Layers {
  /// Locations of the facts that booked readings to a transaction, in order of commit.
  func trail(of id: ByteString) throws -> [Location] {
    let hash = hashKey.hash128(id)
    var locations = try view.trail(of: hash)
    withTables {
      for table in tables {
        let subject = table.subject(hash: hash)
        guard subject >= 0 else { continue }
        locations += table.trail(of: subject).map { Location(raw: $0) }
      }
    }
    return locations
  }

  package func readings(bookedTo id: ByteString) throws -> [TrailReading] {
    var readings: [TrailReading] = []
    var numbers: [Int] = []
    var address: UInt64?
    func readFrame() throws {
      guard let address, let last = numbers.last else { return }
      let frame = try journal.read(address)
      frame.body.withUnsafeBytes {
        FrameWalk.walk($0, address: address, receivedAt: frame.receivedAt.microseconds) {
          number, fact in
          if number == numbers.first {
            numbers.removeFirst()
            fact.forEachChange { readings += $0.trailReadings(of: id, sign: $1) }
          }
          return number < last
        }
      }
    }
    for location in try trail(of: id) {
      if location.address != address {
        try readFrame()
        address = location.address
        numbers.removeAll()
      }
      numbers.append(location.number)
    }
    try readFrame()
    return readings
  }
}

extension BookedEvent {
  fileprivate func trailReadings(of id: ByteString, sign: Int128) -> [TrailReading] {
    readings.filter { $0.booked == id && !$0.isLevel }.map { reading in
      TrailReading(
        time: Instant(microseconds: time),
        line: UsageLine(
          series: reading.series, epoch: reading.epoch, own: reading.own,
          sums: reading.sums(at: time, sign: sign)))
    }
  }
}
