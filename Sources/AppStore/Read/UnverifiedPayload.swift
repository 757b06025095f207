package import Metering

/// What a signed transaction or notification claims, of which nothing is proved. Good for choosing
/// what to look at, never for what to believe.
package struct UnverifiedPayload: Sendable {
  /// The transaction it claims to be; nil when it can't be read.
  package let transactionId: ByteString?
  /// The type of notification it claims to be; nil for a transaction.
  package let notificationType: ByteString?
  /// When it claims to have been signed; nil when it can't be read.
  package let signedDate: Instant?
  private let revocationDate: Instant?

  /// Looks into a token.
  package init(_ token: ByteString) {
    let parts = token.bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    let body = parts.count == 3 ? Base64.decodeURL(parts[1]) : nil
    let node = body.flatMap { try? JSONNode.parse($0, dialect: .strict) }
    transactionId = node?["transactionId"]?.string
    notificationType = node?["notificationType"]?.string
    signedDate = node?["signedDate"]?.integer.map { Instant(milliseconds: $0) }
    revocationDate = node?["revocationDate"]?.integer.map { Instant(milliseconds: $0) }
  }

  /// Whether it claims to be revoked since an instant. What can't be read may be.
  package func isRecent(_ since: Instant) -> Bool {
    guard let revocationDate else { return transactionId == nil }
    return revocationDate >= since
  }
}
