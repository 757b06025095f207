import Foundation
package import Metering

extension ConfigurationDefaults {
  /// Paths and overrides as the environment gives them: systemd's folders, else those of an
  /// unprivileged user, else those of a system service.
  package init(environment: [String: String]) {
    let runtime =
      Self.first(environment["RUNTIME_DIRECTORY"]) ?? Self.folder(environment["XDG_RUNTIME_DIR"])
      ?? "/run/outlay"
    let state =
      Self.first(environment["STATE_DIRECTORY"])
      ?? Self.folder(environment["XDG_STATE_HOME"]).map { "\($0)/outlay" }
      ?? Self.personalState(environment) ?? "/var/lib/outlay"
    self.init(socketPath: "\(runtime)/outlay.sock", storeDirectory: state)
    socketOverride = Self.folder(environment["OUTLAY_SOCKET"])
    storeOverride = Self.folder(environment["OUTLAY_STORE"])
    metricsOverride = Self.folder(environment["OUTLAY_METRICS_LISTEN"])
  }

  /// systemd lists several folders with colons in between; the first is ours.
  private static func first(_ list: String?) -> String? {
    list.flatMap { $0.split(separator: ":").first }.map(String.init)
  }

  private static func folder(_ value: String?) -> String? {
    value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where the XDG base directories put state when nothing says otherwise. An unprivileged user is
  /// known by having a runtime folder.
  private static func personalState(_ environment: [String: String]) -> String? {
    guard folder(environment["XDG_RUNTIME_DIR"]) != nil else { return nil }
    return folder(environment["HOME"]).map { "\($0)/.local/state/outlay" }
  }
}
