import AppStore
import Metering

/// What signs calls to Apple. Never printed.
struct APICredentials {
  private let privateKey: [UInt8]
  private let keyId: ByteString
  private let issuerId: ByteString
  /// Our apps; at least one.
  let bundleIds: [ByteString]

  /// Reads the key that the configuration names; nil when it names none. Throws when the file isn't
  /// a key, or when others may read it.
  init?(_ configuration: Configuration, files: ConfiguredFiles) throws(CommandFailure) {
    let settings = configuration.responder
    guard let keyId = settings.keyId, let issuerId = settings.issuerId,
      let file = settings.privateKeyFile, let store = configuration.appStore
    else { return nil }
    self.keyId = keyId
    self.issuerId = issuerId
    bundleIds = store.bundleIds
    privateKey = try files.secret(file, limit: AppStoreLimits.privateKeyBytes)
    // A key that can't sign is told at start, not with the first case.
    for bundleId in bundleIds { _ = try signer(for: bundleId) }
  }

  func signer(for bundleId: ByteString) throws(CommandFailure) -> APITokenSigner {
    do {
      return try APITokenSigner(
        privateKey: privateKey, keyId: keyId, issuerId: issuerId, bundleId: bundleId)
    } catch {
      throw CommandFailure("responder.privateKeyFile: \(error)")
    }
  }
}
