import Metering

/// Which store a subcommand works on that needs no server.
enum StorePlace {
  /// The directory in `store`, else the one that the configuration or the environment names.
  /// Throws a ``ConfigurationRefusal``, or a ``CommandFailure`` where there is none.
  static func find(
    store: String?, configuration: String?, environment: [String: String]
  ) throws -> String {
    if let store { return store }
    if (configuration ?? environment["OUTLAY_CONFIG"]) != nil {
      return try ConfigurationFile.need(configuration, environment: environment).storeDirectory
    }
    let defaults = ConfigurationFile.defaults(environment)
    let place = defaults.storeOverride ?? defaults.storeDirectory
    guard !place.isEmpty else { throw CommandFailure("which store? Give --store or --config") }
    return place
  }

  /// The configuration that is named, for what can only be told with one; nil where none is. Throws
  /// as ``find(store:configuration:environment:)``.
  static func configuration(
    _ named: String?, environment: [String: String]
  ) throws -> Configuration? {
    guard (named ?? environment["OUTLAY_CONFIG"]) != nil else { return nil }
    return try ConfigurationFile.need(named, environment: environment)
  }
}
