import AppStore
import Foundation
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

/// What signs calls to Apple for each app; replaced as a whole when the key changes.
final class APISigners: @unchecked Sendable {
  // Unchecked: `signers` is guarded by `lock`.
  private let lock = NSLock()
  private var signers: [ByteString: APITokenSigner]

  /// Throws when the key can't be used.
  init(_ credentials: APICredentials) throws(CommandFailure) {
    signers = try Self.make(credentials)
  }

  /// The signer of an app; nil for one that isn't ours.
  subscript(_ bundleId: ByteString) -> APITokenSigner? { lock.withLock { signers[bundleId] } }

  /// Takes another key. Throws, and keeps the old, when it can't be used.
  func replace(by credentials: APICredentials) throws(CommandFailure) {
    let fresh = try Self.make(credentials)
    lock.withLock { signers = fresh }
  }

  private static func make(
    _ credentials: APICredentials
  ) throws(CommandFailure) -> [ByteString: APITokenSigner] {
    var signers: [ByteString: APITokenSigner] = [:]
    for id in credentials.bundleIds { signers[id] = try credentials.signer(for: id) }
    return signers
  }
}
