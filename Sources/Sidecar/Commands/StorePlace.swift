import Metering

/// Which store a subcommand works on that needs no server.
enum StorePlace {
  /// The directory in `store`, else the one that the configuration or the environment names. Nil
  /// for a faulty configuration, whose faults have been told then. Throws when it can't be read.
  static func find(
    store: String?, configuration: String?, environment: [String: String]
  ) throws(CommandFailure) -> String? {
    if let store { return store }
    guard let file = configuration ?? environment["OUTLAY_CONFIG"] else {
      return environment["OUTLAY_STORE"]
        ?? ConfigurationFile.defaults(environment).storeDirectory
    }
    switch ConfigurationFile.load(file, environment: environment) {
    case .success(let loaded): return loaded.storeDirectory
    case .failure(.unreadable(let reason)): throw CommandFailure(reason)
    case .failure(.faulty(let faults)):
      for fault in faults { Console.complain("\(file):\(fault)") }
      return nil
    }
  }
}
