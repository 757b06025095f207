import AppStore
import CLinux
import Foundation
import Metering
import Wire

/// The running responder: two listeners on one loop, a thread that answers, one that catches up.
final class Responder {
  private let configuration: Configuration
  private let state: ResponderState
  private let loop: EventLoop
  private let answerer: Answerer
  private let catchUp: CatchUp?

  /// Nothing runs yet. Each of the two threads gets a transport of its own. Throws when the key
  /// can't be used or may be read by others.
  init(
    _ configuration: Configuration, files: ConfiguredFiles,
    transport: @escaping () throws -> any AppStoreTransport
  ) throws {
    self.configuration = configuration
    let state = ResponderState(mode: configuration.responder.mode)
    self.state = state
    let connection = { () throws -> AppStoreConnection? in
      guard let credentials = try APICredentials(configuration, files: files) else { return nil }
      return try AppStoreConnection(
        configuration.responder, credentials: credentials, transport: try transport(),
        state: state)
    }
    let catchUp = try connection().map { appStore in
      CatchUp(
        sidecar: SidecarConnection(path: configuration.socketPath), appStore: appStore,
        configuration: configuration, state: state)
    }
    self.catchUp = catchUp
    answerer = Answerer(
      sidecar: SidecarConnection(path: configuration.socketPath), appStore: try connection(),
      configuration: configuration, name: Self.makeName(), state: state,
      recovered: { catchUp?.want() })
    var options = EventLoopOptions()
    options.bodyBytes = RespondLimits.notificationBytes
    loop = try EventLoop(options)
  }

  /// No other responder's name: a claim is given to a name.
  private static func makeName() -> ByteString {
    ByteString("outlay-respond-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
  }

  /// Listens and starts the threads; returns the addresses bound.
  func start() throws -> (intake: String, metrics: String) {
    let settings = configuration.responder
    let catchUp = catchUp
    let intake = Intake(
      path: settings.path, socketPath: configuration.socketPath, state: state,
      outage: { catchUp?.want() })
    let addresses = (
      intake: try loop.listen(.tcp(settings.listen), http: intake),
      metrics: try loop.listen(
        .tcp(settings.metricsListen),
        http: ResponderMetricsService(state, on: settings.metricsListen))
    )
    try loop.start()
    run("answer") { [answerer] in answerer.run() }
    if let catchUp { run("catch up") { catchUp.run() } }
    return addresses
  }

  private func run(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let thread = Thread(block: work)
    thread.name = name
    thread.start()
  }

  /// Takes no more. An answer that is on its way is reported first.
  func stop() {
    state.stop()
    catchUp?.want()
    loop.stop(within: .seconds(1))
    if !answerer.sending.lock(before: Date(timeIntervalSinceNow: RespondLimits.endSeconds)) {
      Log.write("an answer on its way hasn't come back; its case may be answered twice")
    }
  }
}

/// Runs the responder until SIGTERM, SIGINT or SIGHUP. Returns the exit status: 0 right, 1 failed,
/// 78 bad configuration.
package func runRespond(configurationPath: String?, environment: [String: String]) -> Int32 {
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
  // Blocked before any thread starts, so that only the wait below sees them.
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  let path = configurationPath ?? environment["OUTLAY_CONFIG"] ?? ""
  switch ConfigurationFile.load(configurationPath, environment: environment) {
  case .failure(let failure):
    for line in failure.lines(of: path) { Log.write(line) }
    return ExitCode.configuration
  case .success(let configuration):
    do {
      let files = ConfiguredFiles(configurationPath: path, environment: environment)
      let authority = configuration.responder.authorityFile
      let responder = try Responder(configuration, files: files) {
        try HTTPSClient.toAppStore(authorityFile: authority, files: files)
      }
      let addresses = try responder.start()
      let settings = configuration.responder
      Log.write("mode \(settings.mode.rawValue): \(explanation(of: configuration))")
      Log.write(
        "notifications on http://\(addresses.intake)\(settings.path); "
          + "metrics on http://\(addresses.metrics)/metrics")
      var received: Int32 = 0
      sigwait(&signals, &received)
      responder.stop()
      return ExitCode.success
    } catch {
      Log.write("\(error)")
      return ExitCode.failure
    }
  }
}

private func explanation(of configuration: Configuration) -> String {
  switch configuration.responder.mode {
  case .send: "refund requests are answered"
  case .observe where configuration.responder.hasKey && configuration.appStore != nil:
    "nothing is sent; what would be is told here"
  case .observe: "nothing is sent, and without a key nothing is asked of Apple"
  }
}
