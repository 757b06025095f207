import AppStore
import CCrypto
import Foundation
import Metering
import Synchronization
import Testing

/// Blocks of libcrypto that aren't freed yet.
private let liveBlocks = Atomic<Int>(0)

/// What a verifier is made of, and what it leaves behind.
struct VerifierTests {
  private static func fault(
    _ roots: [[UInt8]], bundleIds: Set<ByteString> = ["a"], appAppleId: Int64? = 1,
    environments: Set<StoreEnvironment> = [.sandbox]
  ) -> VerifierFault? {
    do throws(VerifierFault) {
      _ = try SignedDataVerifier(
        rootCertificates: roots, bundleIds: bundleIds, appAppleId: appAppleId,
        environments: environments)
      return nil
    } catch {
      return error
    }
  }

  @Test func rootsAreChecked() throws {
    let samples = try Samples.made()
    let der = try samples.root("der")
    let pem = try samples.root("pem")
    let second = try samples.root("second")
    let damaged = String(decoding: pem, as: UTF8.self)
      .replacingOccurrences(of: "-----END", with: "!\n-----END")
    let rows: [([[UInt8]], VerifierFault?)] = [
      ([der], nil), ([pem], nil), ([pem + second], nil), ([der, second], nil), ([pem, pem], nil),
      ([Array("# a comment\n".utf8) + pem], nil),
      ([], .noRoots), ([[]], .malformedRoot(0)), ([der, Array("none".utf8)], .malformedRoot(1)),
      ([der + [0]], .malformedRoot(0)), ([Array(der.dropLast())], .malformedRoot(0)),
      ([Array(damaged.utf8)], .malformedRoot(0)), ([pem + damaged.utf8], .malformedRoot(0)),
      ([try samples.key("private")], .malformedRoot(0)),
      ([[UInt8](repeating: 0x0A, count: AppStoreLimits.rootBytes) + pem], .malformedRoot(0)),
      ([try samples.root("intermediate")], .notRoot(0)), ([try samples.root("leaf")], .notRoot(0)),
      ([pem + (try samples.root("intermediate"))], .notRoot(0)),
    ]
    for (index, row) in rows.enumerated() {
      #expect(Self.fault(row.0) == row.1, "row \(index)")
    }
  }

  @Test func theRestIsCheckedToo() throws {
    let root = try Samples.made().root("der")
    #expect(Self.fault([root], bundleIds: []) == .noBundleIds)
    #expect(Self.fault([root], environments: []) == .noEnvironments)
    #expect(
      Self.fault([root], appAppleId: nil, environments: [.sandbox, .production]) == .noAppAppleId)
    #expect(Self.fault([root], appAppleId: nil) == nil)
  }

  @Test func applesRootIsTheOneThatApplePublished() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Config/AppleRootCA-G3.pem")
    let pem = try String(contentsOf: file, encoding: .utf8)
    #expect(Self.fault([Array(pem.utf8)]) == nil)

    let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    let der = Array(try #require(Data(base64Encoded: body)))
    #expect(der.count == 583 && Self.fault([der]) == nil)
    var digest = [UInt8](repeating: 0, count: 32)
    #expect(EVP_Digest(der, der.count, &digest, nil, EVP_sha256(), nil) == 1)
    let text = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(text == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
  }

  @Test func applesRootDoesNotVouchForOurs() throws {
    let samples = try Samples.made()
    let other = try SignedDataVerifier(
      rootCertificates: [try samples.root("other")], bundleIds: Samples.bundleIds,
      appAppleId: nil, environments: [.sandbox])
    #expect(samples.fault(try samples.sample("transaction"), by: other) == .untrustedChain)
    #expect(samples.fault(try samples.sample("other root"), by: other) == nil)
  }

  @Test func manyThreadsShareOneVerifier() async throws {
    let samples = try Samples.made()
    let verifier = try samples.verifier()
    let good = samples.all.filter(\.isGood)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { good.count { samples.fault($0, by: verifier) == nil } }
      }
      for await count in group { #expect(count == good.count) }
    }
  }

  @Test func nothingIsLeftBehind() async {
    // A process of its own: libcrypto lets its allocator be replaced only before its first use.
    await #expect(processExitsWith: .success) {
      let replaced = CRYPTO_set_mem_functions(
        { count, _, _ in
          guard count > 0 else { return nil }
          liveBlocks.add(1, ordering: .relaxed)
          return malloc(count)
        },
        { old, count, _, _ in
          if old == nil { liveBlocks.add(1, ordering: .relaxed) }
          return realloc(old, max(count, 1))
        },
        { old, _, _ in
          if old != nil { liveBlocks.subtract(1, ordering: .relaxed) }
          free(old)
        })
      #expect(replaced == 1)
      let samples = try Samples.made()
      let verifier = try samples.verifier()
      let pem = try samples.key("private")
      let broken = [try samples.key("encrypted"), try samples.key("p384"), [0x30, 0x03]]
      func everything() throws {
        for sample in samples.all { _ = samples.fault(sample, by: verifier) }
        _ = try samples.verifier()
        let signer = try APITokenSigner(
          privateKey: pem, keyId: "k", issuerId: "i", bundleId: "b")
        _ = try signer.token(now: samples.now)
        for key in broken {
          _ = try? APITokenSigner(privateKey: key, keyId: "", issuerId: "", bundleId: "")
          _ = try? SignedDataVerifier(
            rootCertificates: [key], bundleIds: ["a"], appAppleId: nil, environments: [.sandbox])
        }
      }
      for _ in 0..<3 { try everything() }
      let before = liveBlocks.load(ordering: .relaxed)
      for _ in 0..<5 { try everything() }
      #expect(liveBlocks.load(ordering: .relaxed) == before)
      // The counter sees what isn't freed.
      let kept = X509_STORE_new()
      #expect(liveBlocks.load(ordering: .relaxed) > before)
      X509_STORE_free(kept)
      #expect(liveBlocks.load(ordering: .relaxed) == before)
    }
  }
}
