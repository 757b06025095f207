package import Metering

extension Journal {
  /// A frame read back.
  package struct Frame: Equatable, Sendable {
    /// Where it lies.
    package var address: UInt64
    /// Its number since the store began, from 1.
    package var sequence: UInt64
    /// The chain's hash behind it.
    package var chain: Hash128
    /// What the body is.
    package var kind: UInt16
    /// Whether its commit ends with it.
    package var isLastOfCommit: Bool
    /// When its batch was received.
    package var receivedAt: Instant
    /// The oldest time that events could have then.
    package var floor: Instant
    /// What became of its events.
    package var counts: FrameCounts
    /// The facts.
    package var body: [UInt8]

    init(_ header: FrameHeader, body: [UInt8], address: UInt64) {
      self.address = address
      sequence = header.sequence
      chain = header.chain
      kind = header.kind
      isLastOfCommit = header.isLastOfCommit
      receivedAt = Instant(microseconds: header.receivedAt)
      floor = Instant(microseconds: header.floor)
      counts = header.counts
      self.body = body
    }
  }

  /// Reads the durable frame at an address, from any thread. Throws
  /// ``StoreFault/rot(file:offset:detail:)`` where header and body don't agree with their sums,
  /// ``StoreFault/damaged(_:)`` where no kept segment has a frame.
  package func read(_ address: UInt64) throws -> Frame {
    let state = snapshot
    let offset = JournalAddress.offset(address)
    guard let first = state.segments.first?.header.ordinal,
      case let ordinal = JournalAddress.ordinal(address), ordinal >= first,
      case let index = Int(ordinal - first), index < state.segments.count,
      offset >= SegmentHeader.bytes, offset + FrameHeader.bytes <= state.end(of: index)
    else { throw StoreFault.damaged("the journal has no frame at address \(address)") }
    let segment = state.segments[index]
    let head = try segment.file.read(count: FrameHeader.bytes, at: offset)
    guard let header = head.withUnsafeBytes({ FrameHeader($0, seed: segment.seed) }) else {
      throw StoreFault.rot(file: segment.name, offset: offset, detail: "no frame's header")
    }
    let body = try segment.file.read(
      count: Int(header.bodyCount), at: offset + FrameHeader.bytes)
    guard body.count == Int(header.bodyCount),
      FrameHeader.bodyCheck(body.withUnsafeBytes { ChainHash.of($0) }) == header.bodyCheck
    else {
      throw StoreFault.rot(
        file: segment.name, offset: offset, detail: "frame \(header.sequence) is damaged")
    }
    return Frame(header, body: body, address: address)
  }

  /// Calls `body` with every durable frame after `sequence` in order, checking all chains from the
  /// beginning of the segment that holds it. Throws ``StoreFault/rot(file:offset:detail:)`` where
  /// they don't fit, and what `body` throws.
  package func scan(after sequence: UInt64 = 0, _ body: (Frame) throws -> Void) throws {
    try scan(from: sequence + 1) { segment, header, bytes, offset in
      guard header.sequence > sequence else { return }
      try body(Frame(header, body: Array(bytes), address: segment.address(offset)))
    }
  }

  /// The chain's hash behind a frame, to be compared with what another file remembers of it; nil
  /// where that frame isn't kept any more or not there yet.
  package func chain(at sequence: UInt64) throws -> Hash128? {
    let state = snapshot
    if sequence == state.sequence { return state.chain }
    if let next = state.segments.first(where: { $0.header.firstSequence == sequence + 1 }) {
      return next.header.chain
    }
    guard sequence >= firstSequence, sequence < state.sequence else { return nil }
    var found: Hash128?
    do {
      try scan(from: sequence) { _, header, _, _ in
        guard header.sequence == sequence else { return }
        found = header.chain
        throw Found()
      }
    } catch is Found {}
    return found
  }

  private struct Found: Error {}

  /// Visits the frames of the segment that holds `first` and of all later ones.
  private func scan(
    from first: UInt64,
    _ body: (Segment, FrameHeader, UnsafeRawBufferPointer, Int) throws -> Void
  ) throws {
    let state = snapshot
    for (index, segment) in state.segments.enumerated() {
      let next = index + 1 < state.segments.count ? state.segments[index + 1].header : nil
      if let next, next.firstSequence <= first { continue }
      let end = state.end(of: index)
      let scanner = FrameScanner(segment, end: end)
      while scanner.offset < end {
        guard let (header, bytes, offset) = try scanner.next() else {
          throw StoreFault.rot(
            file: segment.name, offset: scanner.offset,
            detail: "frame \(scanner.sequence + 1) is damaged")
        }
        try body(segment, header, bytes, offset)
      }
      guard scanner.chain == next?.chain ?? state.chain,
        scanner.sequence + 1 == next?.firstSequence ?? state.sequence + 1
      else {
        throw StoreFault.damaged("\(segment.name) doesn't lead to what follows it")
      }
    }
  }
}
