import Testing

@testable import Store

/// A frame's header vouches for itself: a bit of it that flipped is named where the frame begins,
/// whichever field it is of and wherever in the journal the frame lies.
@Suite("Flipped bits of frames' headers") struct FrameHeaderFlipTests {
  /// The first frame of each segment, one amid it and its last, which is the journal's last too.
  private static func headers(in path: String) throws -> [StorePlaces.Place] {
    let places = try StorePlaces(path).places
    let headers = (places["frame header"] ?? []) + (places["last frame header"] ?? [])
    return Dictionary(grouping: headers, by: \.file).values.flatMap { all in
      let ordered = all.sorted { $0.range.lowerBound < $1.range.lowerBound }
      return Set([0, ordered.count / 2, ordered.count - 1]).map { ordered[$0] }
    }
  }

  @Test("are named with the frame's place") func everyField() throws {
    let image = try StoreImage(seed: 11)
    let copy = try image.copy()
    defer { withExtendedLifetime(copy) {} }
    let disk = LinuxDisk(root: copy.path)
    let headers = try Self.headers(in: copy.path)
    #expect(Set(headers.map(\.file)).count > 1)
    for header in headers {
      let file = try disk.open(header.file, create: false)
      for offset in header.range {
        let whole = try file.read(count: 1, at: offset)
        for bit in Chance.isLong ? Array(0..<8) : [offset % 8] {
          try [whole[0] ^ 1 << bit].withUnsafeBytes { try file.write($0, at: offset) }
          let fault = #expect(throws: StoreFault.self) {
            try Journal.openForReading(disk: disk).scan { _ in }
          }
          guard case .rot(header.file, header.range.lowerBound, _) = fault else {
            Issue.record(
              "bit \(bit) of byte \(offset) of \(header.file): \(String(describing: fault))")
            continue
          }
        }
        try whole.withUnsafeBytes { try file.write($0, at: offset) }
      }
    }
    try Journal.openForReading(disk: disk).scan { _ in }
  }
}
