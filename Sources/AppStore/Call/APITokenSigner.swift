package import Metering

/// The bearer token of one call to the App Store Server API.
package struct APIToken: Equatable, Sendable {
  /// Goes behind `Authorization: Bearer`.
  package var text: String
  /// From here on Apple refuses it.
  package var expiresAt: Instant
}

/// Why a token can't be made.
package enum APITokenFault: Error, Equatable, Sendable {
  /// The key is no unencrypted private key in PEM.
  case malformedKey
  /// The key is of another kind than P-256.
  case unsupportedKey
  /// The lifetime isn't from 1 second to ``AppStoreLimits/tokenSeconds``.
  case unsupportedLifetime
  /// The clock shows a time before 1970.
  case unsupportedTime
  /// libcrypto has no memory.
  case unavailable
}

/// Makes tokens for the App Store Server API with an In-App Purchase key.
/// See "Generating JSON Web Tokens for API requests" at
/// https://developer.apple.com/documentation/appstoreserverapi
package struct APITokenSigner: Sendable {
  private let key: SigningKey
  private let keyId: ByteString
  private let issuerId: ByteString
  private let bundleId: ByteString

  /// `privateKey` is the content of the `.p8` file that App Store Connect gave; the other three are
  /// what App Store Connect shows beside it.
  ///
  /// Throws when the file holds no P-256 key.
  package init(
    privateKey: [UInt8], keyId: ByteString, issuerId: ByteString, bundleId: ByteString
  ) throws(APITokenFault) {
    guard privateKey.count <= AppStoreLimits.privateKeyBytes else { throw .malformedKey }
    do throws(SigningKey.Fault) {
      key = try SigningKey(pem: privateKey)
    } catch {
      switch error {
      case .malformed: throw .malformedKey
      case .notP256: throw .unsupportedKey
      case .unavailable: throw .unavailable
      }
    }
    self.keyId = keyId
    self.issuerId = issuerId
    self.bundleId = bundleId
  }

  /// A token that is valid from `now` on, for so many seconds. Two tokens are never the same.
  ///
  /// Throws when the lifetime or the clock is out of range.
  package func token(
    now: Instant, lifetimeSeconds: Int64 = AppStoreLimits.usualTokenSeconds
  ) throws(APITokenFault) -> APIToken {
    guard (1...AppStoreLimits.tokenSeconds).contains(lifetimeSeconds) else {
      throw .unsupportedLifetime
    }
    let issued = now.microseconds / 1_000_000
    guard now.microseconds >= 0, now < .distantFuture else { throw .unsupportedTime }
    let expires = issued + lifetimeSeconds
    var text = Base64.encodeURL(header)
    text.append(0x2E)
    text += Base64.encodeURL(claims(issued: issued, expires: expires))
    do {
      let signature = try key.sign(text)
      text.append(0x2E)
      text += Base64.encodeURL(signature)
    } catch {
      throw .unavailable
    }
    return APIToken(
      text: String(decoding: text, as: UTF8.self),
      expiresAt: Instant(milliseconds: expires * 1000))
  }

  private var header: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("alg")
    writer.string("ES256")
    writer.key("kid")
    writer.string(keyId)
    writer.key("typ")
    writer.string("JWT")
    writer.endObject()
    return writer.bytes
  }

  private func claims(issued: Int64, expires: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("iss")
    writer.string(issuerId)
    writer.key("iat")
    writer.number(issued)
    writer.key("exp")
    writer.number(expires)
    writer.key("aud")
    writer.string("appstoreconnect-v1")
    writer.key("bid")
    writer.string(bundleId)
    writer.endObject()
    return writer.bytes
  }
}
