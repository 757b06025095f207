package import Metering

/// The app on one account, as Apple signed it. It has other words for environment and date than
/// all other payloads.
/// https://developer.apple.com/documentation/appstoreserverapi/jwsapptransactiondecodedpayload
package struct VerifiedAppTransaction: Equatable, Sendable {
  /// `receiptType`.
  package var environment: StoreEnvironment
  /// The app.
  package var bundleId: ByteString
  /// The app's Apple id, which Sandbox leaves out.
  package var appAppleId: Int64?
  /// `receiptCreationDate`.
  package var signedDate: Instant
  /// Apple's key of this app on this account; nil in payloads of old.
  package var appTransactionId: ByteString?

  /// The field that dates it.
  static let dateField = "receiptCreationDate"

  init(_ fields: PayloadFields) throws(VerificationFault) {
    bundleId = try fields.requiredText("bundleId")
    appAppleId = try fields.integer("appAppleId")
    guard let word = StoreEnvironment(try fields.requiredText("receiptType")) else {
      throw .wrongEnvironment
    }
    environment = word
    guard let signed = try fields.instant(Self.dateField) else {
      throw .malformedField(Self.dateField)
    }
    signedDate = signed
    appTransactionId = try fields.text("appTransactionId")
  }
}
