import AppStore
import Testing

/// What is expected of one bad sample.
struct BadSample: Sendable, CustomTestStringConvertible {
  var name: String
  var fault: VerificationFault
  /// Why Apple's library accepts it nevertheless; nil where it refuses too.
  var laxity: String?

  var testDescription: String { name }

  init(_ name: String, _ fault: VerificationFault, judgeAccepts laxity: String? = nil) {
    self.name = name
    self.fault = fault
    self.laxity = laxity
  }
}

extension BadSample {
  static let all = chains + signatures + texts + contents + notifications + inner

  static let chains: [BadSample] = [
    .init("leaf without marker", .leafNotMarked),
    .init("leaf with the intermediate's marker", .leafNotMarked),
    .init("intermediate without marker", .intermediateNotMarked),
    .init("two certificates", .chainLength),
    .init("four certificates", .chainLength),
    .init("self-signed leaf alone", .chainLength),
    .init("self-signed leaf three times", .untrustedChain),
    .init("expired leaf", .expiredCertificate),
    .init("expired intermediate", .expiredCertificate),
    .init("expired root", .expiredCertificate),
    .init("leaf not yet valid", .certificateNotYetValid),
    .init("intermediate not yet valid", .certificateNotYetValid),
    .init("other root", .untrustedChain),
    .init("other root's chain with our root in x5c[2]", .untrustedChain),
    .init("leaf under the root itself", .untrustedChain),
    .init("intermediate that is no authority", .untrustedChain),
    .init("intermediate that may not sign", .untrustedChain),
    .init("two intermediates", .untrustedChain),
    .init("intermediate of the same name", .untrustedChain),
    .init("leaf and intermediate swapped", .untrustedChain),
    .init("leaf under a leaf", .untrustedChain),
    .init("leaf that doesn't name its issuer's key", .untrustedChain),
    .init(
      "intermediate with a weak key", .untrustedChain,
      judgeAccepts: "it sets no least strength of keys"),
    .init("no x5c", .chainLength),
    .init("x5c null", .chainLength),
    .init("x5c empty", .chainLength),
    .init("x5c a string", .malformedHeader),
    .init("x5c of numbers", .malformedHeader),
    .init("x5c in base64url", .malformedCertificate),
    .init(
      "byte behind the leaf", .malformedCertificate,
      judgeAccepts: "it reads a certificate and leaves the rest"),
    .init("line break in the leaf", .malformedCertificate),
    .init("no certificate as leaf", .malformedCertificate),
    .init("empty leaf", .malformedCertificate),
    .init("leaf too long", .malformedCertificate),
  ]

  static let signatures: [BadSample] = [
    .init("alg none", .unsupportedAlgorithm),
    .init("alg missing", .malformedHeader),
    .init("alg HS256 with the public key", .unsupportedAlgorithm),
    .init("alg RS256", .unsupportedAlgorithm),
    .init("alg ES384", .unsupportedAlgorithm),
    .init("alg in lower case", .unsupportedAlgorithm),
    .init("P-384 leaf", .malformedToken),
    .init("P-384 leaf, 64 bytes", .unsupportedKey),
    .init("secp256k1 leaf", .unsupportedKey),
    .init("RSA leaf", .unsupportedKey),
    .init("signature in DER", .malformedToken),
    .init("signature of zeros", .wrongSignature),
    .init("signature of ones", .wrongSignature),
    .init("no signature", .malformedToken),
    .init("tampered payload", .wrongSignature),
    .init("tampered header", .wrongSignature),
    .init("signed by another leaf's key", .wrongSignature),
    .init("payload of another token", .wrongSignature),
    .init("signature with padding", .malformedToken, judgeAccepts: "its base64url takes padding"),
    .init("signature in base64", .malformedToken),
    .init("payload in base64", .malformedToken),
    .init("payload with a blank", .malformedToken),
    .init("bits that encode nothing", .malformedToken),
    .init("two parts", .malformedToken),
    .init("four parts", .malformedToken),
    .init("empty", .malformedToken),
  ]

  private static let lastKey = "its JSON keeps the last of duplicate keys"
  private static let noBounds = "it has no bounds"

  static let texts: [BadSample] = [
    .init("duplicate key", .malformedPayload, judgeAccepts: lastKey),
    .init("duplicate key within", .malformedPayload, judgeAccepts: lastKey),
    .init("duplicate header key", .malformedHeader, judgeAccepts: lastKey),
    .init("crit", .unsupportedExtension),
    .init("crit of b64", .unsupportedExtension, judgeAccepts: "it knows this one extension"),
    .init("header of 20 KB", .malformedHeader, judgeAccepts: noBounds),
    .init("300 KB", .tooLarge, judgeAccepts: noBounds),
    .init("payload an array", .malformedPayload),
    .init("payload no JSON", .malformedPayload),
    .init("payload with a trailing comma", .malformedPayload),
    .init("payload with invalid UTF-8", .malformedPayload),
    .init("brackets", .malformedPayload, judgeAccepts: noBounds),
    .init("header an array", .malformedHeader),
    .init("header no JSON", .malformedHeader),
  ]

  private static let optional = "to it every field is optional"
  private static let untyped = "it converts or keeps other types"

  static let contents: [BadSample] = [
    .init(
      "without signedDate", .malformedField("signedDate"),
      judgeAccepts: "it takes the present time instead"),
    .init("signedDate in seconds", .malformedField("signedDate")),
    .init("signedDate a string", .malformedField("signedDate"), judgeAccepts: untyped),
    .init("signedDate a fraction", .malformedField("signedDate"), judgeAccepts: untyped),
    .init("signedDate in two days", .signedInFuture, judgeAccepts: "it knows no present time"),
    .init("without transactionId", .malformedField("transactionId"), judgeAccepts: optional),
    .init("empty transactionId", .malformedField("transactionId"), judgeAccepts: optional),
    .init("environment Xcode", .wrongEnvironment),
    .init("environment LocalTesting", .wrongEnvironment),
    .init("environment production", .wrongEnvironment),
    .init("environment Staging", .wrongEnvironment),
    .init("without environment", .malformedField("environment")),
    .init("renewal from Xcode", .wrongEnvironment),
    .init("foreign app", .wrongBundle),
    .init("without bundleId", .malformedField("bundleId")),
    .init("bundle id in another case", .wrongBundle),
    .init(
      "transaction as renewal", .malformedField("autoRenewStatus"),
      judgeAccepts: "a renewal to it is any object with an environment"),
    .init("renewal as transaction", .malformedField("bundleId")),
    .init("notification as transaction", .malformedField("bundleId")),
    .init("transaction as notification", .wrongContainer),
    .init(
      "renewal without chain", .malformedField("originalTransactionId"), judgeAccepts: optional),
    .init(
      "renewal with a word as flag", .malformedField("isInBillingRetryPeriod"),
      judgeAccepts: untyped),
  ]

  static let notifications: [BadSample] = [
    .init("notification from Xcode", .wrongEnvironment),
    .init("notification from LocalTesting", .wrongEnvironment),
    .init("notification from production", .wrongEnvironment),
    .init("notification from Staging", .wrongEnvironment),
    .init("notification of a foreign app", .wrongBundle),
    .init("Production without appAppleId", .wrongApp),
    .init("Production with another appAppleId", .wrongApp),
    .init("appAppleId a string", .malformedField("appAppleId"), judgeAccepts: untyped),
    .init("summary of a foreign app", .wrongBundle),
    .init("summary from Xcode", .wrongEnvironment),
    .init("app data of Production with another appAppleId", .wrongApp),
    .init("external purchase of Production with another appAppleId", .wrongApp),
    .init("no container", .wrongContainer),
    .init("unknown container", .wrongContainer),
    .init("two containers", .wrongContainer, judgeAccepts: "it looks at the first"),
    .init("container an array", .malformedField("data")),
    .init("without notificationUUID", .malformedField("notificationUUID"), judgeAccepts: optional),
    .init("without notificationType", .malformedField("notificationType"), judgeAccepts: optional),
  ]

  private static let transaction = "signedTransactionInfo"
  private static let renewal = "signedRenewalInfo"
  private static let app = "signedAppTransactionInfo"

  static let inner: [BadSample] = [
    .init("inner transaction of a foreign app", .inner(transaction, .wrongBundle)),
    .init("inner transaction of our other app", .inner(transaction, .bundleDiffers)),
    .init("inner Sandbox in outer Production", .inner(transaction, .environmentDiffers)),
    .init("inner Production in outer Sandbox", .inner(transaction, .environmentDiffers)),
    .init(
      "inner renewal of Sandbox in outer Production", .inner(renewal, .environmentDiffers)),
    .init("inner transaction from Xcode", .inner(transaction, .wrongEnvironment)),
    .init("inner transaction under another root", .inner(transaction, .untrustedChain)),
    .init("inner transaction tampered", .inner(transaction, .wrongSignature)),
    .init("inner renewal tampered", .inner(renewal, .wrongSignature)),
    .init(
      "inner transaction in the renewal's place",
      .inner(renewal, .malformedField("autoRenewStatus")),
      judgeAccepts: "a renewal to it is any object with an environment"),
    .init(
      "inner renewal in the transaction's place", .inner(transaction, .malformedField("bundleId"))),
    .init("inner app tampered", .inner(app, .wrongSignature)),
    .init("inner app of Sandbox in outer Production", .inner(app, .environmentDiffers)),
    .init("inner app of a foreign app", .inner(app, .wrongBundle)),
    .init("inner app of Production with another appAppleId", .inner(app, .wrongApp)),
    .init(
      "inner app without a date", .inner(app, .malformedField("receiptCreationDate")),
      judgeAccepts: "it takes now for a date that is missing"),
    .init("inner app from Xcode", .inner(app, .wrongEnvironment)),
    .init("inner transaction a number", .malformedField(transaction)),
  ]
}
