package import Metering

/// Signs payloads in Apple's way under a chain of its own. Only who is given its root believes it:
/// for demonstrations, where no payload of Apple's can be had.
package final class ThrowawaySigner: Sendable {
  /// The root to believe, in DER.
  package let root: [UInt8]
  /// Leaf, intermediate and root, in DER.
  let chain: [[UInt8]]
  let key: SigningKey
  private let header: [UInt8]

  /// Makes a root, an intermediate and a leaf, valid for a month around `now`, with new keys.
  ///
  /// Throws when libcrypto has no memory.
  package init(now: Instant) throws(CryptoUnavailable) {
    let seconds = Int(now.microseconds / 1_000_000)
    let (rootKey, betweenKey, leafKey) = (try SigningKey(), try SigningKey(), try SigningKey())
    let names = ["Throwaway Root", "Throwaway Intermediate", "Throwaway Leaf"]

    let first = try CertificateDraft(
      of: names[0], key: rootKey, by: names[0], number: 1, at: seconds)
    try first.describeRoot()
    let root = try first.signed(by: rootKey)

    let second = try CertificateDraft(
      of: names[1], key: betweenKey, by: names[0], number: 2, at: seconds)
    try second.describe(isAuthority: true, issuer: root)
    try second.mark(SignedDataVerifier.intermediateMarker)
    let between = try second.signed(by: rootKey)

    let third = try CertificateDraft(
      of: names[2], key: leafKey, by: names[1], number: 3, at: seconds)
    try third.describe(isAuthority: false, issuer: between)
    try third.mark(SignedDataVerifier.leafMarker)
    let leaf = try third.signed(by: betweenKey)

    self.root = try root.der()
    key = leafKey
    chain = [try leaf.der(), try between.der(), self.root]
    header = Self.header(chain)
  }

  static func header(_ chain: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("alg")
    writer.string("ES256")
    writer.key("x5c")
    writer.beginArray()
    for der in chain { writer.string(ByteString(Base64.encode(der))) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  /// A compact JWS of a payload. Throws when libcrypto has no memory.
  package func sign(_ payload: [UInt8]) throws(CryptoUnavailable) -> ByteString {
    let message = Base64.encodeURL(header) + [0x2E] + Base64.encodeURL(payload)
    return ByteString(message + [0x2E] + Base64.encodeURL(try key.sign(message)))
  }

  /// A new key such as App Store Connect gives in a `.p8` file, for ``APITokenSigner``. Throws when
  /// libcrypto has no memory.
  package static func makePrivateKey() throws(CryptoUnavailable) -> [UInt8] {
    try SigningKey().pem()
  }
}
