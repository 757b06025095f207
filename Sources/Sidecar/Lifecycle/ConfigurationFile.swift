import Foundation
package import Metering

/// Finds and loads the configuration as the environment asks.
package enum ConfigurationFile {
  /// Why there is no configuration.
  package enum Failure: Error {
    /// No path was given, or the file can't be read.
    case unreadable(String)
    /// What is wrong with it, all at once.
    case faulty([ConfigurationFault])
  }

  /// Where files go that the configuration doesn't name; an unprivileged user's by default.
  package static func defaults(_ environment: [String: String]) -> ConfigurationDefaults {
    let home = environment["HOME"] ?? "/tmp"
    let runtime = environment["XDG_RUNTIME_DIR"] ?? "/tmp"
    let state = environment["XDG_STATE_HOME"] ?? home + "/.local/state"
    var defaults = ConfigurationDefaults(
      socketPath: runtime + "/outlay.sock", storeDirectory: state + "/outlay")
    defaults.socketOverride = environment["OUTLAY_SOCKET"]
    defaults.storeOverride = environment["OUTLAY_STORE"]
    defaults.metricsOverride = environment["OUTLAY_METRICS_LISTEN"]
    return defaults
  }

  /// Loads `path`, else the file that `OUTLAY_CONFIG` names.
  package static func load(
    _ path: String?, environment: [String: String]
  ) -> Result<Configuration, Failure> {
    guard let path = path ?? environment["OUTLAY_CONFIG"] else {
      return .failure(.unreadable("no configuration: give --config FILE or set OUTLAY_CONFIG"))
    }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      return .failure(.unreadable("\(path) can't be read"))
    }
    let loaded = Configuration.load(
      Array(bytes), defaults: defaults(environment),
      timeZoneExists: { TimeZone(identifier: $0) != nil })
    return loaded.mapError { .faulty($0.faults) }
  }
}
