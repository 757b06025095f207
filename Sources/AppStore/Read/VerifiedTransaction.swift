package import Metering

/// A transaction that Apple signed.
/// https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
package struct VerifiedTransaction: Sendable {
  /// The whole payload; `Purchase(payload:)` reads it.
  package var payload: JSONNode
  /// Where it was bought.
  package var environment: StoreEnvironment
  /// The app that sold it.
  package var bundleId: ByteString
  /// When Apple signed this state of it.
  package var signedDate: Instant
  /// Apple's key of the transaction, never empty.
  package var transactionId: ByteString

  init(_ fields: PayloadFields) throws(VerificationFault) {
    payload = fields.node
    bundleId = try fields.requiredText("bundleId")
    environment = try fields.environment
    signedDate = try fields.signedDate
    transactionId = try fields.requiredText("transactionId")
  }
}
