import AppStore
import Foundation
import Metering
import Testing

/// Payloads signed under a chain made on the spot, judged by the verifier and by Apple's library.
struct ThrowawaySignerTests {
  private static let now = Instant(milliseconds: 1_790_000_000_000)
  private static let transaction = """
    {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.app",\
    "environment":"Sandbox","signedDate":1790000000000}
    """

  private static func fault(
    _ jws: ByteString, root: [UInt8]
  ) throws -> VerificationFault? {
    let verifier = try SignedDataVerifier(
      rootCertificates: [root], bundleIds: ["com.example.app"], appAppleId: nil,
      environments: [.sandbox])
    do throws(VerificationFault) {
      _ = try verifier.verifiedTransaction(jws, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func onlyItsOwnRootVouchesForIt() throws {
    let signer = try ThrowawaySigner(now: Self.now)
    let other = try ThrowawaySigner(now: Self.now)
    let jws = try signer.sign(Array(Self.transaction.utf8))
    #expect(try Self.fault(jws, root: signer.root) == nil)
    #expect(try Self.fault(jws, root: other.root) == .untrustedChain)
    let late = try ThrowawaySigner(now: Self.now.adding(microseconds: 31 * 86_400_000_000))
    let early = try late.sign(Array(Self.transaction.utf8))
    #expect(try Self.fault(early, root: late.root) == .certificateNotYetValid)
  }

  @Test func applesLibraryBelievesItToo() throws {
    let signer = try ThrowawaySigner(now: Self.now)
    let jws = try signer.sign(Array(Self.transaction.utf8))
    let script = """
      import base64, sys
      from appstoreserverlibrary.models.Environment import Environment
      from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
      root, jws = sys.argv[1:]
      verifier = SignedDataVerifier(
          [base64.b64decode(root)], False, Environment.SANDBOX, "com.example.app")
      print(verifier.verify_and_decode_signed_transaction(jws).transactionId)
      """
    let root = Data(signer.root).base64EncodedString()
    let said = try Python.run(["-c", script, root, jws.string])
    #expect(String(decoding: said, as: UTF8.self) == "1\n")
  }

  @Test func itsKeySignsTokens() throws {
    let key = try ThrowawaySigner.makePrivateKey()
    #expect(try ThrowawaySigner.makePrivateKey() != key)
    let signer = try APITokenSigner(
      privateKey: key, keyId: "k", issuerId: "i", bundleId: "com.example.app")
    #expect(try signer.token(now: Self.now).text.split(separator: ".").count == 3)
  }
}
