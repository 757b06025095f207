import Metering

/// Goes through a segment's frames in order, checking headers, sequence and chain.
final class FrameScanner {
  let segment: Segment
  /// Where the next frame begins.
  private(set) var offset = SegmentHeader.bytes
  private(set) var chain: Hash128
  private(set) var sequence: UInt64
  private let end: Int
  private var window: UnsafeMutableRawBufferPointer
  private var windowStart = 0
  private var windowCount = 0

  /// Scans up to `end`, an offset.
  init(_ segment: Segment, end: Int) {
    self.segment = segment
    self.end = end
    chain = segment.header.chain
    sequence = segment.header.firstSequence - 1
    window = .allocate(byteCount: StoreLimits.scanBytes, alignment: 16)
  }

  deinit { window.deallocate() }

  /// Bytes of the file, fewer at `end`; valid until the next call.
  private func bytes(at start: Int, count: Int) throws -> UnsafeRawBufferPointer {
    let wanted = max(0, min(count, end - start))
    if start < windowStart || start + wanted > windowStart + windowCount {
      let target = UnsafeMutableRawBufferPointer(
        rebasing: window[0..<min(window.count, max(0, end - start))])
      windowStart = start
      windowCount = 0
      windowCount = try segment.file.read(into: target, at: start)
    }
    let available = max(0, min(wanted, windowStart + windowCount - start))
    return UnsafeRawBufferPointer(
      rebasing: window[(start - windowStart)..<(start - windowStart + available)])
  }

  /// The next valid frame; nil where there is none. Its body is valid until the next call.
  func next() throws -> (header: FrameHeader, body: UnsafeRawBufferPointer, offset: Int)? {
    guard
      let header = FrameHeader(
        try bytes(at: offset, count: FrameHeader.bytes), seed: segment.seed),
      header.sequence == sequence + 1
    else { return nil }
    let frame = try bytes(at: offset, count: header.frameBytes)
    guard frame.count == header.frameBytes else { return nil }
    let body = UnsafeRawBufferPointer(
      rebasing: frame[FrameHeader.bytes..<(FrameHeader.bytes + Int(header.bodyCount))])
    guard header.chain == header.chained(to: chain, bodyHash: ChainHash.of(body)) else {
      return nil
    }
    defer { offset += header.frameBytes }
    chain = header.chain
    sequence = header.sequence
    return (header, body, offset)
  }

  /// Whether all bytes from `start` to the end are zero: never written.
  func isZero(from start: Int) throws -> Bool {
    var position = start
    while position < end {
      let part = try bytes(at: position, count: StoreLimits.scanBytes)
      if part.isEmpty { return true }
      guard Self.isZero(part) else { return false }
      position += part.count
    }
    return true
  }

  private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let words = bytes.count / 8
    for index in 0..<words
    where bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) != 0 {
      return false
    }
    return bytes[(words * 8)...].allSatisfy { $0 == 0 }
  }

  /// Offset of the first header from `start` on that belongs to a commit beginning at frame
  /// `sequence` or later; chains aren't looked at.
  func header(from start: Int, ofCommitAtOrAfter first: UInt64) throws -> Int? {
    var position = FrameHeader.padded(start)
    while position + FrameHeader.bytes <= end {
      let part = try bytes(at: position, count: StoreLimits.scanBytes)
      guard part.count >= FrameHeader.bytes else { return nil }
      var inner = 0
      while inner + FrameHeader.bytes <= part.count {
        let found = FrameHeader(
          UnsafeRawBufferPointer(rebasing: part[inner...]), seed: segment.seed)
        if let found, found.commit >= first { return position + inner }
        inner += FrameHeader.alignment
      }
      position += inner
    }
    return nil
  }
}
