import Foundation
import Metering
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
    for one in responders where one.isRunning { one.stop() }
    for one in responders {
      for secret in ["Bearer", "eyJ", "PRIVATE KEY"] { #expect(!one.text.contains(secret)) }
    }
    sidecar.stop()
    store.finish()
  }

  /// Writes a configuration; its path.
  func configuration(mode: String, socket: String? = nil) throws -> String {
    let path = "\(store.folder)/outlay.json5"
    let text = """
      {
        socket: { path: "\(socket ?? sidecar.path)" }, meters: {},
        appStore: { bundleIds: ["\(try store.text("bundleId"))"],
          appAppleId: \(try store.text("appAppleId")), rootCertificates: ["root.pem"] },
        responder: { mode: "\(mode)", listen: "127.0.0.1:0", path: "/apple",
          metricsListen: "127.0.0.1:0", keyId: "\(try store.text("keyId"))",
          issuerId: "\(try store.text("issuerId"))", privateKeyFile: "key.p8",
          hosts: { production: "\(try store.origin("Production"))",
                   sandbox: "\(try store.origin("Sandbox"))" },
          authorityFile: "authority.pem" },
      }
      """
    try CommandSystem.writeFile(path, text)
    return path
  }

  /// Starts a responder of the fake sidecar, or of whoever listens on another socket.
  func respond(mode: String = "send", socket: String? = nil) throws -> ResponderProcess {
    let one = try ResponderProcess(configuration: try configuration(mode: mode, socket: socket))
    responders.append(one)
    _ = try one.addresses()
    return one
  }

  /// A case whose time ends so many seconds from now.
  static func openCase(_ transaction: String, seconds: Int64 = 43_200) -> FakeSidecar.Case {
    FakeSidecar.Case(
      transaction: transaction,
      respondBy: Clock.now().adding(microseconds: seconds * 1_000_000))
  }
}
