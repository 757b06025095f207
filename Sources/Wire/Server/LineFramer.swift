/// Lines out of bytes, however they are cut. Only a line that crosses two chunks is copied.
struct LineFramer {
  enum Output {
    /// Complete lines, each with its newline, inside the chunk.
    case lines(UnsafeRawBufferPointer)
    /// One line with its newline that began in an earlier chunk.
    case joined([UInt8])
    /// A line above the limit; its rest is skipped.
    case tooLong
  }

  let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false

  /// Whether a line has begun and not ended.
  var isWithinLine: Bool { isSkipping || !partial.isEmpty }

  init(limit: Int = Limits.lineBytes) {
    self.limit = limit
  }

  /// Takes the next output off the front of `chunk`; nil when the chunk is used up.
  mutating func next(_ chunk: inout UnsafeRawBufferPointer) -> Output? {
    while !chunk.isEmpty {
      if isSkipping {
        guard let end = ByteSearch.firstNewline(in: chunk) else {
          chunk = UnsafeRawBufferPointer(rebasing: chunk[chunk.count...])
          return nil
        }
        isSkipping = false
        drop(end + 1, from: &chunk)
      } else if !partial.isEmpty {
        return join(&chunk)
      } else {
        return run(&chunk)
      }
    }
    return nil
  }

  /// The end of input: the last line, given its newline, if it had none.
  mutating func finish() -> [UInt8]? {
    guard !partial.isEmpty else { return nil }
    let line = partial + [ASCII.lineFeed]
    partial = []
    return line
  }

  private func drop(_ count: Int, from chunk: inout UnsafeRawBufferPointer) {
    chunk = UnsafeRawBufferPointer(rebasing: chunk[count...])
  }

  /// Ends the line begun in an earlier chunk.
  private mutating func join(_ chunk: inout UnsafeRawBufferPointer) -> Output? {
    let window = UnsafeRawBufferPointer(rebasing: chunk.prefix(limit - partial.count + 1))
    if let end = ByteSearch.firstNewline(in: window) {
      let line = partial + chunk[...end]
      partial = []
      drop(end + 1, from: &chunk)
      return .joined(line)
    }
    if partial.count + chunk.count > limit { return skip(&chunk) }
    partial += chunk
    drop(chunk.count, from: &chunk)
    return nil
  }

  /// The longest run of lines within the limit. Looking backwards from the limit finds a newline
  /// at once in ordinary input, so that a chunk costs a few short searches.
  private mutating func run(_ chunk: inout UnsafeRawBufferPointer) -> Output? {
    var end = 0
    while end < chunk.count {
      let reach = min(chunk.count, end + limit + 1)
      guard let newline = ByteSearch.lastNewline(in: chunk, from: end, to: reach) else { break }
      end = newline + 1
    }
    if end > 0 {
      let lines = UnsafeRawBufferPointer(rebasing: chunk[..<end])
      drop(end, from: &chunk)
      return .lines(lines)
    }
    if chunk.count > limit { return skip(&chunk) }
    partial += chunk
    drop(chunk.count, from: &chunk)
    return nil
  }

  private mutating func skip(_ chunk: inout UnsafeRawBufferPointer) -> Output {
    partial = []
    isSkipping = true
    return .tooLong
  }
}
