package import Metering

extension BooksSnapshot {
  /// Locations of the facts that booked readings to a transaction, in order of commit.
  func trail(of id: ByteString) throws -> [Location] {
    let hash = hashKey.hash128(id)
    return try view.trail(of: hash) + freshTrail(of: hash)
  }

  package func readings(bookedTo id: ByteString) throws -> [TrailReading] {
    let trail = try trail(of: id)
    var known = readBack.known(id, beginning: trail)
    try read(trail[known.locations.count...], of: id) { known.readings += $0 }
    known.locations = trail
    readBack.keep(known, of: id)
    return known.readings
  }

  /// Reads single facts, those of a frame together, and hands on what they booked to a transaction.
  private func read(
    _ trail: ArraySlice<Location>, of id: ByteString, _ use: ([TrailReading]) -> Void
  ) throws {
    var rest = trail
    while let address = rest.first?.address {
      try pace()
      let count = rest.prefix { $0.address == address }.count
      var numbers = rest.prefix(count).map(\.number)[...]
      rest = rest.dropFirst(count)
      let frame = try journal.read(address)
      try frame.body.withUnsafeBytes {
        try FrameWalk.walk($0, address: address, receivedAt: frame.receivedAt.microseconds) {
          number, fact in
          if number == numbers.first {
            numbers.removeFirst()
            fact.forEachChange { use($0.trailReadings(of: id, sign: $1)) }
          }
          return !numbers.isEmpty
        }
      }
    }
  }
}

/// Single readings that a question has read. The journal never changes, so what one try has read
/// serves the next.
final class ReadBack {
  struct Known {
    var locations: [Location] = []
    var readings: [TrailReading] = []
  }

  private var known: [ByteString: Known] = [:]

  /// What was read of a transaction, if its trail still begins so.
  func known(_ id: ByteString, beginning trail: [Location]) -> Known {
    guard let found = known[id], trail.starts(with: found.locations) else { return Known() }
    return found
  }

  func keep(_ read: Known, of id: ByteString) { known[id] = read }
}

extension BookedEvent {
  fileprivate func trailReadings(of id: ByteString, sign: Int128) -> [TrailReading] {
    readings.filter { $0.booked == id && !$0.isLevel }.map { reading in
      TrailReading(
        time: Instant(microseconds: time), event: key,
        place: isBalance ? 0 : origin?.raw ?? 0, number: reading.number,
        line: UsageLine(
          series: reading.series, epoch: reading.epoch, own: reading.own, parts: reading.parts,
          sums: reading.sums(at: time, sign: sign)))
    }
  }
}

extension BooksSnapshot {
  /// Locations of a purchase's facts in the tables, in order of commit.
  func freshTrail(of hash: Hash128) -> [Location] {
    let ends = looks.look(.trail(hash)) { tables in
      tables.map { table in
        let subject = table.subject(hash: hash)
        return subject < 0 ? -1 : table.subjects[subject].lastTrail
      }
    }
    var locations: [Location] = []
    for (number, end) in ends.enumerated() {
      var backwards: [Location] = []
      var place = end
      while place >= 0 {
        place = looks.lookBack { tables in
          tables[number].trail(from: place, most: StoreLimits.pieceEntries) {
            backwards.append(Location(raw: $0))
          }
        }
      }
      locations += backwards.reversed()
    }
    return locations
  }
}
