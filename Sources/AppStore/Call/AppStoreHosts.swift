package import Metering

/// Where the App Store Server API is, as origins such as "https://api.storekit.apple.com".
package struct AppStoreHosts: Equatable, Sendable {
  private var production: String
  private var sandbox: String

  /// Those that the configuration names.
  package init(_ settings: ResponderSettings) {
    production = settings.productionHost
    sandbox = settings.sandboxHost
  }

  /// The host of an environment's purchases.
  package subscript(_ environment: StoreEnvironment) -> String {
    switch environment {
    case .production: production
    case .sandbox: sandbox
    }
  }
}
