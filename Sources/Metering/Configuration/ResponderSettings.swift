/// The section `responder`: how `outlay respond` works.
package struct ResponderSettings: Equatable, Sendable {
  /// Whether anything is sent to Apple.
  package enum Mode: String, CaseIterable, Sendable {
    /// Tells what would be sent; sends and reports nothing.
    case observe
    /// Answers refund requests.
    case send
  }

  /// Whether anything is sent to Apple.
  package var mode = Mode.observe
  /// Address and port that Apple's notifications come to, from a proxy that speaks TLS.
  package var listen = "127.0.0.1:8469"
  /// Path of these notifications.
  package var path = "/notifications"
  /// Address and port of the responder's own metrics.
  package var metricsListen = "127.0.0.1:9470"
  /// The In-App Purchase key's id; there in mode `send`.
  package var keyId: ByteString?
  /// The issuer's id; there in mode `send`.
  package var issuerId: ByteString?
  /// The key's `.p8` file, as the configuration writes it; there in mode `send`.
  package var privateKeyFile: String?
  /// Origin of the App Store Server API.
  package var productionHost = "https://api.storekit.apple.com"
  /// Origin of its sandbox.
  package var sandboxHost = "https://api.storekit-sandbox.apple.com"
  /// PEM file of the only authorities trusted for these hosts, as the configuration writes it; nil
  /// trusts the system's.
  package var authorityFile: String?

  /// Only the defaults.
  package init() {}

  /// Whether calls to Apple can be signed.
  package var hasKey: Bool { keyId != nil && issuerId != nil && privateKeyFile != nil }
}
