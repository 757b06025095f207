import AppStore
import Foundation
import Metering
import Store
import Testing
import Wire

@testable import Sidecar

/// What a reload puts in force, all of it or nothing, and who sees it.
@Suite(.serialized) struct ReloadServiceTests {
  private static let transaction = "700001234567890"

  /// A running service with an open refund request, and what asks it.
  private final class Scene {
    let folder: String
    let service: Service
    let client: UnixHTTPClient
    let metrics: UnixHTTPClient
    let configuration: Configuration

    init() throws {
      folder = try CommandSystem.makeScratchFolder(in: "/tmp")
      var configuration = testConfiguration()
      configuration.socketPath = "\(folder)/outlay.sock"
      configuration.storeDirectory = "\(folder)/store"
      configuration.metricsListen = "127.0.0.1:0"
      configuration.appStore = AppStoreSettings(
        bundleIds: ["com.example.app"], rootCertificates: [])
      self.configuration = configuration
      service = try Service(ServiceSetup(configuration: configuration))
      metrics = try UnixHTTPClient(tcp: try service.start())
      client = try UnixHTTPClient(path: configuration.socketPath)
      let asked = try client.send(
        ClientRequest(
          "POST", "/v1/transactions/\(transaction)/refund-request",
          body: Array(#"{"consumptionRequestReason":"OTHER"}"#.utf8)))
      guard asked.status == 201 else { throw CommandFailure("\(asked.status)") }
    }

    deinit {
      service.stop()
      CommandSystem.removeFolder(folder)
    }

    func page() throws -> String {
      String(
        decoding: try metrics.send(
          ClientRequest("GET", "/")
        ).body, as: UTF8.self)
    }

    /// The status that a signed notification gets: without roots nothing is believed.
    func signedStatus() throws -> Int {
      try client.send(
        ClientRequest(
          "POST", "/v1/notifications", body: Array(#"{"signedPayload":"a.b.c"}"#.utf8))
      ).status
    }

    func use(_ quantity: String) throws -> Int {
      let event = """
        {"id":"\(quantity)","transactionId":"\(transaction)",
         "meter":"credits","quantity":\(quantity)}
        """
      return try client.send(
        ClientRequest(
          "POST", "/v1/events", headers: [("Content-Type", "application/json")],
          body: Array(event.utf8))
      ).status
    }

    func isCurrent() throws -> Bool {
      let text = String(
        decoding: try metrics.send(ClientRequest("GET", "/metrics")).body, as: UTF8.self)
      return MetricsPage(text: text).samples("outlay_config_reload_success").first?.value == 1
    }

    func wait(until isMet: () throws -> Bool) throws {
      if try !Patience.waits(until: isMet) { throw CommandFailure("it never came") }
    }
  }

  /// Another configuration in all that a reload changes.
  private static func other(_ scene: Scene) throws -> ServiceSetup {
    var configuration = scene.configuration
    configuration.showsIdentifiers = true
    configuration.refundWindowDays = 1
    let root = try ThrowawaySigner(now: SystemClock.now()).root
    let verifier = try SignedDataVerifier(
      rootCertificates: [root], bundleIds: ["com.example.app"], appAppleId: 1,
      environments: [.production])
    return ServiceSetup(configuration: configuration, verifier: verifier)
  }

  @Test func thePageRightAfterItIsNew() throws {
    let scene = try Scene()
    var setup = try Self.other(scene)
    #expect(try !scene.page().contains(Self.transaction))
    scene.service.reload(.success(setup))
    try scene.wait { scene.service.current.showsIdentifiers }
    #expect(try scene.page().contains(Self.transaction))
    setup.configuration.showsIdentifiers = false
    scene.service.reload(.success(setup))
    try scene.wait { !scene.service.current.showsIdentifiers }
    #expect(try !scene.page().contains(Self.transaction))
  }

  /// What keeps a reload from being whole.
  enum Hindrance: CaseIterable {
    /// A unit that usage was booked in changes.
    case unit
    /// The ledger can't be written.
    case ledger
  }

  @Test(arguments: Hindrance.allCases)
  func oneThatFailsLeavesEverythingAsItWas(_ hindrance: Hindrance) throws {
    let scene = try Scene()
    #expect(try scene.use("5") == 200)
    #expect(try scene.signedStatus() == 501)
    _ = try scene.page()
    var setup = try Self.other(scene)
    var ledger: Connection?
    switch hindrance {
    case .unit: setup.configuration.meters["credits"] = Meter(name: "credits", unit: "s")
    case .ledger:
      ledger = try Connection(path: "\(scene.folder)/store/ledger.db", busyMilliseconds: 5_000)
      try ledger?.execute("BEGIN IMMEDIATE")
    }
    scene.service.reload(.success(setup))
    try scene.wait { try !scene.isCurrent() }
    #expect(scene.service.current.refundWindowDays == scene.configuration.refundWindowDays)
    #expect(!scene.service.current.showsIdentifiers)
    #expect(try scene.signedStatus() == 501)
    #expect(try !scene.page().contains(Self.transaction))
    try ledger?.execute("ROLLBACK")
    #expect(try scene.use("6") == 200)
    scene.service.reload(.success(try Self.other(scene)))
    try scene.wait { try scene.isCurrent() }
    #expect(scene.service.current.refundWindowDays == 1)
    #expect(try scene.signedStatus() == 422)
    #expect(try scene.page().contains(Self.transaction))
  }
}
