import Foundation
package import Metering

/// Finds and loads the configuration as the environment asks.
package enum ConfigurationFile {
  /// Why there is no configuration.
  package enum Failure: Error {
    /// No path was given.
    case missing
    /// The file can't be read.
    case unreadable(String)
    /// What is wrong with it, all at once.
    case faulty([ConfigurationFault])
  }

  /// Where files go that the configuration doesn't name: where systemd says, else the user's own
  /// places. Empty where there is no place that is nobody else's.
  package static func defaults(_ environment: [String: String]) -> ConfigurationDefaults {
    let store = privateFolder(environment)
    let runtime =
      folder("RUNTIME_DIRECTORY", environment) ?? folder("XDG_RUNTIME_DIR", environment) ?? store
    var defaults = ConfigurationDefaults(
      socketPath: runtime.map { $0 + "/outlay.sock" } ?? "", storeDirectory: store ?? "")
    defaults.socketOverride = environment["OUTLAY_SOCKET"]
    defaults.storeOverride = environment["OUTLAY_STORE"]
    defaults.metricsOverride = environment["OUTLAY_METRICS_LISTEN"]
    return defaults
  }

  /// The folder for what stays. A socket goes there too where the session has no folder for such:
  /// one that all share would let anybody take its name.
  static func privateFolder(_ environment: [String: String]) -> String? {
    folder("STATE_DIRECTORY", environment)
      ?? folder("XDG_STATE_HOME", environment).map { $0 + "/outlay" }
      ?? (folder("HOME", environment) ?? homeOfThisUser()).map { $0 + "/.local/state/outlay" }
  }

  /// As the system knows it; nil for a user that it doesn't know.
  private static func homeOfThisUser() -> String? {
    guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir else { return nil }
    let path = String(cString: home)
    return path.hasPrefix("/") && path != "/" ? path : nil
  }

  /// An absolute path in the environment, the first of several.
  private static func folder(_ name: String, _ environment: [String: String]) -> String? {
    guard let first = environment[name]?.split(separator: ":").first, first.hasPrefix("/") else {
      return nil
    }
    return String(first)
  }

  /// Loads `path`, else the file that `OUTLAY_CONFIG` names.
  package static func load(
    _ path: String?, environment: [String: String]
  ) -> Result<Configuration, Failure> {
    guard let path = path ?? environment["OUTLAY_CONFIG"], !path.isEmpty else {
      return .failure(.missing)
    }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      return .failure(.unreadable("\(path) can't be read"))
    }
    let loaded = Configuration.load(
      Array(bytes), defaults: defaults(environment),
      timeZoneExists: { TimeZone(identifier: $0) != nil })
    return loaded.mapError { .faulty($0.faults) }
  }

  /// The same for a subcommand, which can't go on without. Throws a ``ConfigurationRefusal``, or a
  /// ``CommandFailure`` where there is none.
  static func need(_ path: String?, environment: [String: String]) throws -> Configuration {
    switch load(path, environment: environment) {
    case .success(let configuration): return configuration
    case .failure(let failure):
      throw failure.refusal(of: path ?? environment["OUTLAY_CONFIG"] ?? "")
    }
  }
}

/// A faulty configuration: exit code 78.
package struct ConfigurationRefusal: Error {
  /// A line for each fault.
  package var lines: [String]
}

extension ConfigurationFile.Failure {
  /// All of it, a line each; faults are those of the file `path`.
  func lines(of path: String) -> [String] {
    switch self {
    case .missing:
      [
        "no configuration: give --config FILE, or set OUTLAY_CONFIG",
        "the smallest is { meters: { requests: { unit: \"{request}\" } } }; "
          + "Config/outlay.example.json5 explains every key, and outlay check names every fault",
      ]
    case .unreadable(let text): [text]
    case .faulty(let faults): faults.map { "\(path):\($0)" }
    }
  }

  /// What a subcommand ends with.
  func refusal(of path: String) -> any Error {
    if case .faulty = self { return ConfigurationRefusal(lines: lines(of: path)) }
    return CommandFailure(lines(of: path).joined(separator: "\n"))
  }
}
