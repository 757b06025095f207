package import Metering

/// Where a payload comes from. `Xcode` and `LocalTesting` payloads carry no signature of Apple's;
/// they have no case here, so that no configuration can let them in.
package enum StoreEnvironment: String, CaseIterable, Sendable {
  /// Real purchases.
  case production = "Production"
  /// Purchases of testers and of App Review.
  case sandbox = "Sandbox"

  /// Reads Apple's word; nil for any other.
  package init?(_ word: ByteString) {
    guard let found = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = found
  }

  /// Apple's word.
  package var word: ByteString { ByteString(rawValue) }
}
