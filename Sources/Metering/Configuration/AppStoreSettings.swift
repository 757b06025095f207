/// The section `appStore`: whose signed payloads are believed.
package struct AppStoreSettings: Equatable, Sendable {
  /// Our apps, in the order of the file; at least one.
  package var bundleIds: [ByteString]
  /// The app's number in the App Store; there wherever Production is taken.
  package var appAppleId: Int64?
  /// Files with Apple's roots, as the configuration writes them; at least one.
  package var rootCertificates: [String]

  /// Settings without an app's number.
  package init(bundleIds: [ByteString], rootCertificates: [String]) {
    self.bundleIds = bundleIds
    self.rootCertificates = rootCertificates
  }
}
