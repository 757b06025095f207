import Foundation
import Metering
import Store
import Testing

@testable import Sidecar

/// A fake store, a fake sidecar and responders between them.
final class RespondScene {
  let store: FakeStore
  let sidecar: FakeSidecar
  private var responders: [ResponderProcess] = []

  init() throws {
    store = try FakeStore()
    sidecar = try FakeSidecar(path: "\(store.folder)/outlay.sock")
  }

  /// Ends everything; no responder may ever have told a secret.
  func finish() {
    for one in responders { one.finish() }
    sidecar.stop()
    store.finish()
  }

  /// Writes a configuration; its path.
  func configuration(mode: String, environments: String? = nil) throws -> String {
    try store.responderConfiguration(
      mode: mode, socket: sidecar.path, environments: environments)
  }

  /// Starts a responder of the fake sidecar.
  func respond(
    mode: String = "send", environments: String? = nil
  ) throws -> ResponderProcess {
    let one = try ResponderProcess(
      configuration: try configuration(mode: mode, environments: environments))
    responders.append(one)
    _ = try one.addresses()
    return one
  }

  /// A case whose time ends so many seconds from now.
  static func openCase(_ transaction: String, seconds: Int64 = 43_200) -> FakeSidecar.Case {
    FakeSidecar.Case(
      transaction: transaction,
      respondBy: SystemClock.now().adding(microseconds: seconds * 1_000_000))
  }
}

extension FakeStore {
  /// Writes the configuration of a responder that asks this store about the usual app, or about
  /// both; its path.
  func responderConfiguration(
    mode: String, socket: String, hasTwoApps: Bool = false, environments: String? = nil
  ) throws -> String {
    let path = "\(folder)/outlay.json5"
    let text = """
      {
        \(environments.map { "environments: \($0)," } ?? "")
        socket: { path: "\(socket)" }, meters: {},
        appStore: { bundleIds: [\(try apps(hasTwo: hasTwoApps))],
          appAppleId: \(try self.text("appAppleId")), rootCertificates: ["root.pem"] },
        responder: { mode: "\(mode)", listen: "127.0.0.1:0", path: "/apple",
          metricsListen: "127.0.0.1:0", keyId: "\(try self.text("keyId"))",
          issuerId: "\(try self.text("issuerId"))", privateKeyFile: "key.p8",
          hosts: { production: "\(try origin("Production"))",
                   sandbox: "\(try origin("Sandbox"))" },
          authorityFile: "authority.pem" },
      }
      """
    try CommandSystem.writeFile(path, text)
    return path
  }

  /// Bundle ids as elements of a list.
  func apps(hasTwo: Bool) throws -> String {
    let names = ["bundleId"] + (hasTwo ? ["otherBundleId"] : [])
    return try names.map { "\"\(try text($0))\"" }.joined(separator: ", ")
  }
}
