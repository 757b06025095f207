/// The name of a refund case: `<transactionId>:<number>`.
///
/// Transaction ids are opaque and may hold colons themselves, so the last colon divides.
package struct CaseID: Hashable, Sendable {
  package var transaction: ByteString
  /// Counted from 1 within the purchase.
  package var number: Int64

  /// A case of a transaction.
  package init(transaction: ByteString, number: Int64) {
    self.transaction = transaction
    self.number = number
  }

  /// Reads a name; nil for what ``text`` never writes.
  package init?(_ text: ByteString) {
    guard let colon = text.bytes.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let digits = text.bytes[(colon + 1)...]
    guard let number = Int64(String(decoding: digits, as: UTF8.self)), number > 0,
      digits.elementsEqual(String(number).utf8)
    else { return nil }
    self.init(transaction: ByteString(text.bytes[..<colon]), number: number)
  }

  /// The name as answers and paths have it.
  package var text: ByteString { ByteString(transaction.bytes + Array(":\(number)".utf8)) }
}
