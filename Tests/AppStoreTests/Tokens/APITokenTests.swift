import AppStore
import Foundation
import Metering
import Testing

/// Tokens for the App Store Server API, judged by PyJWT, on which Apple's Python library relies.
struct APITokenTests {
  let samples: Samples

  init() throws { samples = try Samples.made() }

  private func signer(_ key: String = "private") throws -> APITokenSigner {
    try APITokenSigner(
      privateKey: try samples.key(key), keyId: "2X9R4HXF34",
      issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: "com.example.\"app\"")
  }

  @Test func anotherLibraryReadsIt() throws {
    let now = Instant(microseconds: 1_790_000_000_999_999)
    let token = try signer().token(now: now)
    #expect(token.expiresAt == Instant(milliseconds: 1_790_000_300_000))
    let script = """
      import json, sys, jwt
      token, key = sys.argv[1:]
      claims = jwt.decode(
          token, key, algorithms=["ES256"], audience="appstoreconnect-v1",
          options={"verify_exp": False, "verify_iat": False, "require": ["iss", "iat", "exp"]})
      print(json.dumps([jwt.get_unverified_header(token), claims], sort_keys=True))
      """
    let key = String(decoding: try samples.key("public"), as: UTF8.self)
    let said = try Python.run(["-c", script, token.text, key])
    let expected = """
      [{"alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"}, \
      {"aud": "appstoreconnect-v1", "bid": "com.example.\\"app\\"", "exp": 1790000300, \
      "iat": 1790000000, "iss": "57246542-96fe-1a63-e053-0824d011072a"}]

      """
    #expect(String(decoding: said, as: UTF8.self) == expected)
  }

  @Test func signaturesHave64BytesWhateverTheirNumbers() throws {
    // Every 128th r or s begins with a zero byte, which DER drops.
    let signer = try signer()
    let now = samples.now
    for _ in 0..<600 {
      let parts = try signer.token(now: now).text.split(separator: ".")
      #expect(parts.count == 3 && parts[2].utf8.count == 86)
    }
  }

  @Test func aTokenLivesAnHourAtMost() throws {
    let signer = try signer()
    let now = samples.now
    for seconds in [1, AppStoreLimits.usualTokenSeconds, AppStoreLimits.tokenSeconds] {
      let token = try signer.token(now: now, lifetimeSeconds: seconds)
      #expect(token.expiresAt == now.adding(microseconds: seconds * 1_000_000))
    }
    for seconds in [0, -1, AppStoreLimits.tokenSeconds + 1, .max] {
      #expect(throws: APITokenFault.unsupportedLifetime) {
        try signer.token(now: now, lifetimeSeconds: seconds)
      }
    }
    for time in [Instant.distantPast, .distantFuture, Instant(microseconds: -1)] {
      #expect(throws: APITokenFault.unsupportedTime) { try signer.token(now: time) }
    }
  }

  @Test(arguments: [
    ("encrypted", APITokenFault.malformedKey), ("public", .malformedKey),
    ("certificate", .malformedKey), ("p384", .unsupportedKey),
  ]) func onlyAPrivateP256KeyWillDo(key: String, fault: APITokenFault) {
    #expect(throws: fault) { try signer(key) }
  }

  @Test func damagedKeysAreRefused() throws {
    let pem = try samples.key("private")
    let cut = Array(pem.prefix(pem.count / 2))
    let tooLong = [UInt8](repeating: 0x0A, count: AppStoreLimits.privateKeyBytes) + pem
    for bytes in [[], [0], cut, tooLong] {
      #expect(throws: APITokenFault.malformedKey) {
        try APITokenSigner(privateKey: bytes, keyId: "k", issuerId: "i", bundleId: "b")
      }
    }
  }
}
