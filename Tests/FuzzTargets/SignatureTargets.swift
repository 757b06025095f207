import Metering

@testable import AppStore

/// A chain of our own, with new keys in every process, and who believes it.
struct TestSigner: Sendable {
  static let now = Instant(milliseconds: 1_796_000_000_000)
  static let shared = TestSigner()

  let signer: ThrowawaySigner
  let verifier: SignedDataVerifier

  private init() {
    do {
      signer = try ThrowawaySigner(now: Self.now)
      verifier = try SignedDataVerifier(
        rootCertificates: [signer.root], bundleIds: ["com.example.app"],
        appAppleId: 1_234_567_890, environments: [.production, .sandbox])
    } catch {
      preconditionFailure("no signer: \(error)")
    }
  }

  /// A JWS of a payload under any chain, signed by the leaf's key.
  func sign(_ payload: [UInt8], chain: [[UInt8]]) -> ByteString {
    let header = ThrowawaySigner.header(chain)
    let message = Base64.encodeURL(header) + [0x2E] + Base64.encodeURL(payload)
    guard let signature = try? signer.key.sign(message) else {
      preconditionFailure("no signature")
    }
    return ByteString(message + [0x2E] + Base64.encodeURL(signature))
  }

  static let transaction = """
    {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example.app",\
    "environment":"Sandbox","signedDate":1796000000000}
    """
}

extension FuzzTarget {
  /// A compact JWS taken apart. What begins with a brace is header, payload and signature on
  /// lines of their own, which are encoded first: so the fuzzer needn't learn Base64.
  static let tokens = FuzzTarget(
    name: "jws", goal: "token",
    words: [
      "\"alg\":\"ES256\"", "\"x5c\":[", "\"AAAA\"", "\"crit\":", "\"transactionId\":\"1\"",
      "\"revocationDate\":", "9223372036854775807", "\n", ".", "=", "-_", "+/", "none",
    ],
    seeds: {
      let signature = String(repeating: "s", count: 64)
      let jws = TestSigner.shared.sign(
        Array(text: TestSigner.transaction), chain: TestSigner.shared.signer.chain)
      return [
        jws.bytes,
        Array(
          text: #"{"alg":"ES256","x5c":["AAAA","AAAB","AA=="]}"# + "\n"
            + TestSigner.transaction + "\n" + signature),
        Array(text: "{\"alg\":\"none\"}\n{}\n"), Array(text: "e30.e30."), Array(text: ".."),
      ]
    }
  ) { input, run in
    var text = Array(input)
    if text.first == 0x7B {
      let parts = text.split(separator: 10, maxSplits: 2, omittingEmptySubsequences: false)
      text = Array(parts.map { Base64.encodeURL(Array($0)) }.joined(separator: [0x2E]))
    }
    let token = ByteString(text)
    _ = UnverifiedPayload(token).isRecent(TestSigner.now)
    for part in text.split(separator: 0x2E) {
      guard let bytes = Base64.decodeURL(part) else { continue }
      let again = Base64.encodeURL(run.takesTwin ? bytes + [1] : bytes)
      run.agree(again, Array(part), "Base64url decoded and encoded")
      run.agree(Base64.decode(Base64.encode(bytes)), bytes, "Base64 encoded and decoded")
    }
    if let token = try? SignedToken(token) {
      run.reach("token")
      run.require(
        token.signature.count == 64 && token.payload.members != nil, "a token is whole")
    }
    _ = try? TestSigner.shared.verifier.verifiedTransaction(token, now: TestSigner.now)
  }

  /// Certificates: changed bytes of a good chain, or anything in its place, with a right signature
  /// over the payload. Only the untouched chain is believed.
  static let certificates = FuzzTarget(
    name: "x509", goal: "believed", rounds: 300,
    seeds: {
      let chain = TestSigner.shared.signer.chain
      return [
        [0], [0, 0, 10, 0, 1], [0, 1, 200, 0, 128], [0, 0, 4, 1, 255, 1, 4, 1, 255], [1] + chain[0],
        [2] + chain[1], [3] + chain[2], [4] + chain[0],
        [4] + Array(text: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
      ]
    }
  ) { input, run in
    var steering = Pieces(input)
    let good = TestSigner.shared.signer.chain
    var chain = good
    switch steering.byte() {
    case 0:
      while !steering.rest.isEmpty {
        let number = Int(steering.byte()) % 3
        let place = Int(steering.word()) % chain[number].count
        chain[number][place] ^= steering.byte()
      }
    case let number where number < 4: chain[Int(number) - 1] = Array(steering.rest)
    default:
      let store = try? RootStore()
      try? store?.add(Array(steering.rest))
      return
    }
    for bytes in chain.prefix(2) {
      guard let certificate = Certificate(der: bytes) else { continue }
      run.reach("certificate")
      _ = (try? certificate.der(), certificate.isRoot, certificate.hasP256Key)
    }
    let jws = TestSigner.shared.sign(Array(text: TestSigner.transaction), chain: chain)
    let transaction = try? TestSigner.shared.verifier.verifiedTransaction(
      jws, now: TestSigner.now)
    // The third certificate isn't looked at: the root is the verifier's own.
    let isUntouched = chain.prefix(2) == good.prefix(2)
    let isBelieved = transaction != nil
    run.agree(isBelieved != run.takesTwin, isUntouched, "belief and an untouched chain")
    if isBelieved { run.reach("believed") }
  }
}
