package import Metering

/// The append-only log of facts, in segments.
///
/// One thread appends, reopens and prunes; any thread reads and scans, and sees only what is
/// durable. ``prepareSpare()`` is for a thread in the background.
///
/// A commit never spans segments, so that one write and one sync make it durable and a torn one
/// can only be the last thing in the last segment.
package final class Journal: @unchecked Sendable {
  // Unchecked: `state` is guarded by `lock`; staging and `failure` are the appending thread's,
  // `sealed` that of whoever seals.

  /// What readers share with the writer.
  struct State {
    var segments: [Segment]
    var sequence: UInt64
    var chain: Hash128
    /// Offset behind the last durable frame in the last segment.
    var end: Int

    var last: Segment {
      guard let last = segments.last else { preconditionFailure("a journal has a segment") }
      return last
    }

    /// Offset where a segment validly ends.
    func end(of index: Int) -> Int {
      index + 1 < segments.count ? Int(segments[index + 1].header.previousEnd) : end
    }
  }

  /// The store's id and key, as the first segment was given them.
  package let identity: StoreIdentity
  /// What opening found.
  package let recovery: JournalRecovery
  let files: SegmentFiles
  private let lock = StoreLock()
  private var state: State
  private var failure: String?
  private var mustRoll = false
  /// What ``seal()`` noted last; its thread's.
  var sealed: UInt64 = 0
  private var staging: UnsafeMutableRawBufferPointer

  init(identity: StoreIdentity, recovery: JournalRecovery, files: SegmentFiles, state: State) {
    self.identity = identity
    self.recovery = recovery
    self.files = files
    self.state = state
    staging = .allocate(byteCount: 1 << 17, alignment: 16)
  }

  deinit { staging.deallocate() }

  var snapshot: State { lock.withLock { state } }

  /// The end of what is durable.
  package var head: JournalPosition {
    let state = snapshot
    return JournalPosition(
      sequence: state.sequence, chain: state.chain, address: state.last.address(state.end))
  }

  /// Sequence number of the last durable frame; 0 before the first.
  package var sequence: UInt64 { lock.withLock { state.sequence } }

  /// The chain's hash behind the last durable frame.
  package var chain: Hash128 { lock.withLock { state.chain } }

  /// Sequence number of the oldest frame that is kept, or of the next one when none is.
  package var firstSequence: UInt64 {
    lock.withLock { state.segments.first?.header.firstSequence ?? 1 }
  }

  /// Whether a write or sync failed, so that ``reopen()`` must come before the next append.
  package var isIndeterminate: Bool { failure != nil }

  /// Appends the frames of one commit with one write and one sync; returns when they are durable.
  /// `placed` is called for each frame then, before anybody can read it.
  ///
  /// The commit takes at most ``StoreLimits/commitBytes`` on disk and fits a segment. Throws
  /// ``StoreFault/indeterminate(cause:)`` when nobody can know the outcome, and goes on throwing
  /// it until ``reopen()``; any other ``StoreFault`` means that nothing was written.
  @discardableResult
  package func append(
    _ frames: [PendingFrame], placed: (PlacedFrame) -> Void = { _ in }
  ) throws -> JournalPosition {
    if let failure { throw StoreFault.indeterminate(cause: failure) }
    let count = frames.reduce(0) { $0 + FrameHeader.frameBytes(body: $1.body.count) }
    precondition(!frames.isEmpty && count <= StoreLimits.commitBytes)
    precondition(count <= files.segmentBytes - SegmentHeader.bytes, "a commit fits a segment")
    if mustRoll || snapshot.end + count > snapshot.last.capacity { try roll() }
    let before = snapshot
    let segment = before.last
    let headers = stage(frames, count: count, after: before)
    do {
      try segment.file.write(UnsafeRawBufferPointer(rebasing: staging[0..<count]), at: before.end)
      try segment.file.sync()
    } catch {
      // Even a failed write may have put some bytes where they reach the disk later.
      let cause = "\(error)"
      failure = cause
      throw StoreFault.indeterminate(cause: cause)
    }
    var offset = before.end
    for (index, header) in headers.enumerated() {
      placed(
        PlacedFrame(
          index: index, address: segment.address(offset), sequence: header.sequence,
          chain: header.chain))
      offset += header.frameBytes
    }
    lock.withLock {
      state.sequence += UInt64(headers.count)
      state.chain = headers.last?.chain ?? state.chain
      state.end = offset
    }
    return head
  }

  /// Lays the frames out in the staging buffer.
  private func stage(_ frames: [PendingFrame], count: Int, after state: State) -> [FrameHeader] {
    if staging.count < count {
      staging.deallocate()
      staging = .allocate(byteCount: count + count / 2, alignment: 16)
    }
    guard var place = staging.baseAddress else { preconditionFailure("staging has a size") }
    let seed = state.last.seed
    var chain = state.chain
    var headers: [FrameHeader] = []
    headers.reserveCapacity(frames.count)
    for (index, frame) in frames.enumerated() {
      precondition(frame.body.count <= StoreLimits.frameBodyBytes)
      let bodyHash = ChainHash.of(frame.body)
      var header = FrameHeader()
      header.bodyCount = UInt32(frame.body.count)
      header.kind = frame.kind
      header.flags = index == frames.count - 1 ? FrameHeader.lastOfCommit : 0
      header.sequence = state.sequence + UInt64(index) + 1
      header.receivedAt = frame.receivedAt.microseconds
      header.floor = frame.floor.microseconds
      header.counts = frame.counts
      header.indexInCommit = UInt32(index)
      header.bodyCheck = FrameHeader.bodyCheck(bodyHash)
      header.chain = header.chained(to: chain, bodyHash: bodyHash)
      header.store(to: place, seed: seed)
      if let source = frame.body.baseAddress {
        (place + FrameHeader.bytes).copyMemory(from: source, byteCount: frame.body.count)
      }
      let used = FrameHeader.bytes + frame.body.count
      (place + used).initializeMemory(
        as: UInt8.self, repeating: 0, count: header.frameBytes - used)
      chain = header.chain
      place += header.frameBytes
      headers.append(header)
    }
    return headers
  }

  /// Begins a segment behind the last durable frame. It takes the place of a last segment without
  /// any: both would have the same name.
  ///
  /// After a failure the new file may be there all the same and say where this one ends, so nothing
  /// is appended here before another try went well.
  private func roll() throws {
    mustRoll = true
    let now = snapshot
    let last = now.last.header
    let isEmpty = now.sequence + 1 == last.firstSequence
    let segment = try files.create(
      SegmentHeader(
        identity: identity, capacity: files.segmentBytes,
        ordinal: isEmpty ? last.ordinal : last.ordinal + 1, firstSequence: now.sequence + 1,
        chain: now.chain, previousEnd: isEmpty ? last.previousEnd : UInt64(now.end)))
    lock.withLock {
      if isEmpty { state.segments.removeLast() }
      state.segments.append(segment)
      state.end = SegmentHeader.bytes
    }
    mustRoll = false
  }

  /// Cuts the journal behind the last frame that was synced, by beginning a segment whose header
  /// says so. The file whose sync failed is never written or synced again. Does nothing unless
  /// ``isIndeterminate``; when it throws, that stays and it may be tried again.
  package func reopen() throws {
    guard failure != nil else { return }
    try roll()
    failure = nil
  }

  /// Begins a segment although the last one has room: its tail is torn.
  func leaveTail() throws { try roll() }

  /// Prepares the file that the next segment will use, off the commit path. A thread that appends
  /// meanwhile waits only when it needs that file.
  package func prepareSpare() throws { try files.prepareSpare() }

  /// Removes segments that hold only frames before `sequence`, oldest first, never the last.
  package func prune(before sequence: UInt64) throws {
    while true {
      let segments = snapshot.segments
      guard segments.count > 1, segments[1].header.firstSequence <= sequence else { return }
      // Durably one by one: a crash must not leave a gap.
      try files.retire(segments[0])
      _ = lock.withLock { state.segments.removeFirst() }
    }
  }

  /// Bytes that hold frames and headers.
  package var usedBytes: Int {
    let state = snapshot
    return state.segments.indices.reduce(0) { $0 + state.end(of: $1) }
  }

  /// Bytes that the files take on disk, with what is filled ahead.
  package var allocatedBytes: Int {
    snapshot.segments.reduce(files.spareBytes) { $0 + $1.capacity }
  }
}
