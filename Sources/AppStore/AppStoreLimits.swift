/// Every bound of this target, each with its reason.
package enum AppStoreLimits {
  /// Bytes of a signed payload. A notification with both inner payloads takes about 25 KB; what is
  /// larger isn't Apple's and isn't decoded.
  package static let signedPayloadBytes = 262_144
  /// Bytes of a decoded JWS header. Apple's three certificates make it about 5 KB.
  package static let headerBytes = 16_384
  /// Bytes of one certificate in DER. Apple's are below 1.2 KB.
  package static let certificateBytes = 4096
  /// Bytes of one file of pinned roots: a handful of certificates.
  package static let rootBytes = 65_536
  /// How far ahead of our clock a payload may have been signed, in microseconds: one day. Apple's
  /// clock is right and ours may lag, and a refused notification doesn't come again; a date beyond
  /// would stand before every later payload of its purchase.
  package static let signedAheadMicroseconds: Int64 = 86_400_000_000
  /// libcrypto's security level for keys and signatures of a chain: at least 112 bits, which rules
  /// out SHA-1.
  package static let securityLevel: Int32 = 2
  /// Seconds that a token for the App Store Server API may live, Apple's bound.
  package static let tokenSeconds: Int64 = 3600
  /// Seconds that such a token lives unless asked otherwise, as in Apple's own libraries.
  package static let usualTokenSeconds: Int64 = 300
  /// Bytes of the private key's file: Apple's are below 300.
  package static let privateKeyBytes = 16_384
}
