import Metering

/// Event lines like the contract's example, with random ids: every chunk is a template whose ids,
/// transactions and seconds are overwritten in place, so that the client costs little beside the
/// server. A line is a function of its number; about 2 % repeat an earlier number.
struct BenchEvents {
  private struct Slot {
    var identifier: Int
    var seconds: Int
    var transaction: Int
    var end: Int
  }

  private struct Template {
    var bytes: [UInt8]
    var slots: [Slot]
  }

  private static let templateCount = 64
  private static let duplicatesPerMille: UInt64 = 20
  /// Times lie within so many days before the start.
  private static let days = 5
  private static let attributeSets = [
    ("gpt-4o", "input"), ("gpt-4o", "output"), ("claude-sonnet-4", "input"),
    ("claude-sonnet-4", "output"),
  ]

  private var templates: [Template] = []
  private let seed: UInt64
  private let purchases: UInt64
  private(set) var duplicates = 0

  /// Lines for `purchases` purchases; no two seeds give the same ids.
  init(seed: UInt64, purchases: Int, chunkBytes: Int, nowMicroseconds: Int64) {
    self.seed = seed
    self.purchases = UInt64(max(purchases, 1))
    var random = RandomSequence(seed: 0xB0B)
    for _ in 0..<Self.templateCount {
      templates.append(
        Self.template(seed: seed, chunkBytes, nowMicroseconds: nowMicroseconds, &random))
    }
  }

  /// The mean length of a line with its newline.
  var bytesPerLine: Double {
    let bytes = templates.reduce(0) { $0 + $1.bytes.count }
    return Double(bytes) / Double(templates.reduce(0) { $0 + $1.slots.count })
  }

  /// Writes at most `limit` lines of a chunk into the buffer; returns lines and bytes.
  mutating func fill(
    _ buffer: inout [UInt8], chunk: Int, limit: Int
  ) -> (lines: Int, bytes: Int) {
    let round = UInt64(chunk / Self.templateCount)
    let template = templates[chunk % Self.templateCount]
    let lines = min(limit, template.slots.count)
    guard lines > 0 else { return (0, 0) }
    let bytes = template.slots[lines - 1].end
    if buffer.count < bytes { buffer = [UInt8](repeating: 0, count: bytes) }
    let chunkSeed = UInt64(chunk % Self.templateCount) << 12
    var repeated = 0
    buffer.withUnsafeMutableBytes { target in
      template.bytes.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<bytes]))
      }
      for index in 0..<lines {
        let slot = template.slots[index]
        let place = chunkSeed | UInt64(index)
        let effective = Self.effectiveRound(round, place: place)
        repeated += effective == round ? 0 : 1
        let hash = RandomSequence.mixed(effective << 20 | place)
        Self.patchHex(target, at: slot.identifier, hash)
        Self.patchDigits(target, at: slot.transaction, 7, (hash >> 20) % purchases)
        Self.patchDigits(target, at: slot.seconds, 2, hash % 60)
        Self.patchDigits(target, at: slot.seconds + 3, 3, (hash >> 8) % 1000)
      }
    }
    duplicates += repeated
    return (lines, bytes)
  }

  /// The round whose line stands here: this one, or an earlier one for a duplicate.
  private static func effectiveRound(_ round: UInt64, place: UInt64) -> UInt64 {
    guard isDuplicate(round, place: place) else { return round }
    let hash = RandomSequence.mixed(round << 20 | place | 1 << 62)
    // Half repeat what was sent lately, half anything that was ever sent.
    var earlier = hash & 1 == 0 ? round - 1 : (hash >> 1) % round
    while isDuplicate(earlier, place: place) { earlier -= 1 }
    return earlier
  }

  private static func isDuplicate(_ round: UInt64, place: UInt64) -> Bool {
    guard round > 0 else { return false }
    return RandomSequence.mixed(round << 20 | place | 1 << 61) % 1000 < duplicatesPerMille
  }

  @inline(__always)
  private static func patchHex(_ target: UnsafeMutableRawBufferPointer, at start: Int, _ n: UInt64)
  {
    var rest = n
    for index in 0..<16 {
      let nibble = UInt8(truncatingIfNeeded: rest & 15)
      target[start + index] = nibble + (nibble < 10 ? 0x30 : 0x57)
      rest >>= 4
    }
  }

  @inline(__always)
  private static func patchDigits(
    _ target: UnsafeMutableRawBufferPointer, at start: Int, _ count: Int, _ n: UInt64
  ) {
    var rest = UInt32(truncatingIfNeeded: n)
    for index in stride(from: count - 1, through: 0, by: -1) {
      target[start + index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private static func template(
    seed: UInt64, _ chunkBytes: Int, nowMicroseconds: Int64, _ random: inout RandomSequence
  ) -> Template {
    let run = String(seed & 0xFFFFFF | 0x1000000, radix: 16).dropFirst()
    var template = Template(bytes: [], slots: [])
    while template.slots.count < 4096 {
      let attributes = attributeSets[Int(random.next() % 4)]
      let day = Int64.random(in: 1...Int64(days), using: &random)
      let minute = Int64.random(in: 0..<1440, using: &random)
      let time = Instant(
        microseconds: nowMicroseconds / 60_000_000 * 60_000_000 - (day * 1440 + minute) * 60_000_000
      )
      var line = Array("{\"id\":\"req-\(run)".utf8)
      let identifier = line.count
      line += "0000000000000000\",\"source\":\"api-1\",\"time\":\"".utf8
      line += time.description.utf8.prefix(17)
      let seconds = line.count
      line += "00.000Z\",\"transactionId\":\"\(BenchPurchases.identifierPrefix)".utf8
      let transaction = line.count
      line += "0000000\",\"meter\":\"llm_tokens\",\"quantity\":".utf8
      line += "\(Int.random(in: 100...9999, using: &random)),\"attributes\":".utf8
      line += "{\"model\":\"\(attributes.0)\",\"direction\":\"\(attributes.1)\"}}\n".utf8
      let base = template.bytes.count
      if base + line.count > chunkBytes && !template.slots.isEmpty { break }
      template.bytes += line
      template.slots.append(
        Slot(
          identifier: base + identifier, seconds: base + seconds, transaction: base + transaction,
          end: template.bytes.count))
    }
    return template
  }
}
