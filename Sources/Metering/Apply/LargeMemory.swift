/// Told of a large region of memory before it is first used. What it does about it may change how
/// fast the region is, never what is in it.
package typealias MemoryAdvice = (UnsafeMutableRawBufferPointer) -> Void

extension ContiguousArray {
  /// Reserves room for `count` elements and hands it to `advice`.
  mutating func reserve(_ count: Int, _ advice: MemoryAdvice) {
    reserveCapacity(count)
    let bytes = capacity * MemoryLayout<Element>.stride
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      advice(UnsafeMutableRawBufferPointer(start: start, count: bytes))
    }
  }
}

extension UnsafeMutablePointer {
  /// Allocates room for `count` elements on whole large pages if it fills one, else on whole lines
  /// of the processor's cache, and hands it to `advice`.
  package static func allocate(large count: Int, _ advice: MemoryAdvice) -> UnsafeMutablePointer {
    let bytes = count * MemoryLayout<Pointee>.stride
    let isLarge = bytes >= Limits.largePageBytes
    let room = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bytes, alignment: isLarge ? Limits.largePageBytes : Limits.cacheLineBytes)
    advice(room)
    guard let start = room.baseAddress else { preconditionFailure("no room for nothing") }
    return start.bindMemory(to: Pointee.self, capacity: count)
  }
}

extension Limits {
  /// The usual size of a large page and of a line of the processor's cache; where they are others,
  /// it only takes longer.
  package static let largePageBytes = 2 << 20
  package static let cacheLineBytes = 64
}
