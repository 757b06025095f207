import AppStore
import Metering
import Testing

/// Every sample before our verifier and before Apple's library, which have to agree unless the
/// table says why not.
@Suite("Verdicts of two verifiers")
struct VerdictTests {
  let samples: Samples
  let verifier: SignedDataVerifier

  init() throws {
    samples = try Samples.made()
    verifier = try samples.verifier()
  }

  @Test("refused", arguments: BadSample.all) func refused(row: BadSample) throws {
    let sample = try samples.sample(row.name)
    #expect(samples.fault(sample, by: verifier) == row.fault)
    #expect((sample.judge == "accepted") == (row.laxity != nil), "the judge says \(sample.judge)")
  }

  @Test func goodOnesAreAcceptedByBoth() {
    for sample in samples.all where sample.isGood {
      #expect(samples.fault(sample, by: verifier) == nil, "\(sample.name)")
      #expect(sample.judge == "accepted", "\(sample.name)")
    }
  }

  @Test func everySampleHasItsRow() {
    let bad = samples.all.filter { !$0.isGood }.map(\.name)
    #expect(Set(bad) == Set(BadSample.all.map(\.name)))
    #expect(bad.count == BadSample.all.count)
    #expect(samples.all.count { $0.isGood } >= 20)
  }

  @Test func theSecondRootIsTrustedWhileItWasValid() throws {
    // The same chain is refused for a payload signed later: "expired root".
    let sample = try samples.sample("second pinned root while it was valid")
    #expect(samples.fault(sample, by: verifier) == nil)
    let alone = try SignedDataVerifier(
      rootCertificates: [try samples.root("pem")], bundleIds: Samples.bundleIds, appAppleId: nil,
      environments: [.sandbox])
    #expect(samples.fault(sample, by: alone) == .untrustedChain)
  }

  @Test func onlyAllowedEnvironmentsPass() throws {
    let root = try samples.root("der")
    let sandbox = try SignedDataVerifier(
      rootCertificates: [root], bundleIds: Samples.bundleIds, appAppleId: nil,
      environments: [.sandbox])
    let production = try SignedDataVerifier(
      rootCertificates: [root], bundleIds: Samples.bundleIds, appAppleId: Samples.appAppleId,
      environments: [.production])
    let both = ["transaction", "transaction of Production"]
    for (verifier, expected) in [
      (sandbox, [nil, VerificationFault.wrongEnvironment]), (production, [.wrongEnvironment, nil]),
    ] {
      #expect(try both.map { samples.fault(try samples.sample($0), by: verifier) } == expected)
    }
    // Without an Apple id of ours, none of theirs is ours either.
    let notification = try samples.sample("consumption request of Production")
    #expect(samples.fault(notification, by: sandbox) != nil)
    #expect(samples.fault(notification, by: production) == nil)
  }

  @Test func clocksMayDifferByADay() throws {
    let jws = try samples.jws("transaction")
    let day = AppStoreLimits.signedAheadMicroseconds
    let early = samples.signed.adding(microseconds: -day)
    #expect(throws: Never.self) { try verifier.verifiedTransaction(jws, now: early) }
    #expect(throws: VerificationFault.signedInFuture) {
      try verifier.verifiedTransaction(jws, now: early.adding(microseconds: -1))
    }
  }

  @Test func noFlippedBitPasses() throws {
    let bytes = try samples.jws("transaction").bytes
    let signature = try #require(bytes.lastIndex(of: 0x2E))
    // All of the signature's letters, and some of the others: each costs a proof.
    let places = Array(signature..<bytes.count) + stride(from: 0, to: signature, by: 13)
    for place in places {
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place % 7)
      #expect(throws: VerificationFault.self, "byte \(place)") {
        try verifier.verifiedTransaction(ByteString(flipped), now: samples.now)
      }
    }
  }

  @Test func noTruncatedTextPasses() throws {
    let bytes = try samples.jws("transaction").bytes
    for count in 0..<bytes.count {
      #expect(throws: VerificationFault.self, "\(count) bytes") {
        try verifier.verifiedTransaction(ByteString(bytes.prefix(count)), now: samples.now)
      }
    }
  }

  @Test func aTextAtTheLimitIsStillRead() {
    let limit = AppStoreLimits.signedPayloadBytes
    for (count, fault) in [(limit, VerificationFault.malformedToken), (limit + 1, .tooLarge)] {
      #expect(throws: fault) {
        try verifier.verifiedNotification(
          ByteString([UInt8](repeating: 0x41, count: count)), now: samples.now)
      }
    }
  }

  @Test func reasonsNameThePartAndOnlyMemoryIsTemporary() {
    let inner = VerificationFault.inner("signedRenewalInfo", .malformedField("currency"))
    #expect(inner.reason == "signedRenewalInfo: malformed_field")
    #expect("\(inner)" == "signedRenewalInfo: malformed_field currency")
    #expect(!inner.isTemporary)
    #expect(VerificationFault.inner("signedRenewalInfo", .unavailable).isTemporary)
  }
}
