package import Metering

/// The cursor of lists: where the page ended, as text that survives in a URL. Opaque to clients.
package enum PageCursor {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The id in base64url without padding.
  package static func encode(_ id: ByteString) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in id.bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> bits & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The id; nil for what ``encode(_:)`` doesn't write.
  package static func decode(_ text: ByteString) -> ByteString? {
    bytes(of: text).flatMap { Router.isId($0.bytes) ? $0 : nil }
  }

  /// The bytes, whatever they are; nil for what ``encode(_:)`` doesn't write.
  static func bytes(of text: ByteString) -> ByteString? {
    var id: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in text.bytes {
      guard let value = alphabet.firstIndex(of: byte) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        id.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    let decoded = ByteString(id)
    return encode(decoded) == text.string ? decoded : nil
  }

  /// A place in the list of cases.
  package static func encode(_ place: CasePlace) -> String {
    encode(ByteString(Array("\(place.respondBy.microseconds):".utf8) + place.id.text.bytes))
  }

  /// The place; nil for what ``encode(_:)`` doesn't write.
  package static func place(_ text: ByteString) -> CasePlace? {
    guard let (number, rest) = numbered(text), let id = CaseID(rest),
      Router.isId(id.transaction.bytes)
    else { return nil }
    let place = CasePlace(respondBy: Instant(microseconds: number), id: id)
    return encode(place) == text.string ? place : nil
  }

  /// A place in the list of purchases at risk.
  package static func encode(_ place: RiskPlace) -> String {
    encode(ByteString(Array("\(place.rank.order):".utf8) + place.transactionId.bytes))
  }

  /// The place; nil for what ``encode(_:)`` doesn't write.
  package static func riskPlace(_ text: ByteString) -> RiskPlace? {
    guard let (number, id) = numbered(text), Router.isId(id.bytes) else { return nil }
    let place = RiskPlace(rank: RiskRank(order: number), transactionId: id)
    return encode(place) == text.string ? place : nil
  }

  /// The number before the first colon, and what follows it.
  private static func numbered(_ text: ByteString) -> (number: Int64, rest: ByteString)? {
    guard let bytes = bytes(of: text)?.bytes,
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      let number = Int64(String(decoding: bytes[..<colon], as: UTF8.self))
    else { return nil }
    return (number, ByteString(bytes[(colon + 1)...]))
  }
}
