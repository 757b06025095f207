import AppStore
import CLinux
import Foundation
import Metering
import Wire

/// The running responder: two listeners on one loop, threads that hand over, a thread that answers,
/// one that catches up.
final class Responder {
  private let configuration: Configuration
  private let state: ResponderState
  private let loop: EventLoop
  private let forwarders: Forwarders
  private let answerer: Answerer
  private let catchUp: CatchUp?
  private let signers: APISigners?

  /// Nothing runs yet. Each of the two threads that ask Apple gets a transport of its own. Throws
  /// when the key can't be used or may be read by others.
  init(
    _ configuration: Configuration, files: ConfiguredFiles,
    transport: @escaping () throws -> any AppStoreTransport
  ) throws {
    self.configuration = configuration
    let state = ResponderState(mode: configuration.responder.mode)
    self.state = state
    let signers = try APICredentials(configuration, files: files).map { try APISigners($0) }
    self.signers = signers
    let connection = { () throws -> AppStoreConnection? in
      guard let signers else { return nil }
      return AppStoreConnection(
        configuration.responder, signers: signers, transport: try transport(), state: state)
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
    forwarders = Forwarders(socketPath: configuration.socketPath)
    var options = EventLoopOptions()
    options.bodyBytes = RespondLimits.notificationBytes
    options.scrapeConnections = RespondLimits.connections
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
      path: settings.path, forwarders: forwarders, state: state, outage: { catchUp?.want() })
    let addresses = (
      intake: try loop.listen(.tcp(settings.listen), http: intake),
      metrics: try loop.listen(
        .tcp(settings.metricsListen),
        http: ResponderMetricsService(state, on: settings.metricsListen))
    )
    try loop.start()
    forwarders.start()
    run("answer") { [answerer] in answerer.run() }
    if let catchUp { run("catch up") { catchUp.run() } }
    return addresses
  }

  private func run(_ name: String, _ work: @escaping @Sendable () -> Void) {
    let thread = Thread(block: work)
    thread.name = name
    thread.start()
  }

  /// Takes what another configuration says and a running responder can take: the key. Everything
  /// else waits for a restart, which is said.
  func reload(_ fresh: Configuration, files: ConfiguredFiles) throws(CommandFailure) {
    for change in fresh.responderChanges(from: configuration) {
      Log.write("reload: \(change) has changed, which needs a restart")
    }
    guard let signers else {
      return Log.write("reload: there was no key at the start; a restart takes one")
    }
    guard let credentials = try APICredentials(fresh, files: files) else {
      throw CommandFailure("there is no key any more")
    }
    try signers.replace(by: credentials)
    Log.write("reload: the key is read again")
  }

  /// Takes no more. An answer that is on its way is reported first. Returns whether it was.
  func stop() -> Bool {
    state.stop()
    catchUp?.want()
    forwarders.stop()
    loop.stop(within: .seconds(1))
    return answerer.settlement.end(
      within: RespondLimits.endSeconds + RespondLimits.reportSeconds)
  }
}

extension Configuration {
  /// What `outlay respond` takes only at its start and is other than in a configuration before.
  fileprivate func responderChanges(from old: Configuration) -> [String] {
    let mine = responder
    let theirs = old.responder
    return [
      ("responder.mode", mine.mode == theirs.mode),
      ("responder.listen", mine.listen == theirs.listen),
      ("responder.path", mine.path == theirs.path),
      ("responder.metricsListen", mine.metricsListen == theirs.metricsListen),
      (
        "responder.hosts",
        mine.productionHost == theirs.productionHost && mine.sandboxHost == theirs.sandboxHost
      ),
      ("responder.authorityFile", mine.authorityFile == theirs.authorityFile),
      ("socket.path", socketPath == old.socketPath),
      ("environments", environments == old.environments),
      ("appStore.bundleIds", appStore?.bundleIds == old.appStore?.bundleIds),
    ].filter { !$0.1 }.map(\.0)
  }
}

/// Runs the responder until SIGTERM or SIGINT; SIGHUP reads the key again. Returns the exit status:
/// 0 right, 1 failed or something sent is unreported, 78 bad configuration.
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
      while waitForSignal(&signals) == SIGHUP {
        reload(responder, configurationPath, files, environment)
      }
      if responder.stop() { return ExitCode.success }
      Log.write("an answer is unreported; its case may be answered twice")
      return ExitCode.failure
    } catch {
      Log.write("\(error)")
      return ExitCode.failure
    }
  }
}

private func waitForSignal(_ signals: inout sigset_t) -> Int32 {
  var received: Int32 = 0
  sigwait(&signals, &received)
  return received
}

private func reload(
  _ responder: Responder, _ path: String?, _ files: ConfiguredFiles, _ environment: [String: String]
) {
  switch ConfigurationFile.load(path, environment: environment) {
  case .failure(let failure):
    for line in failure.lines(of: "reload refused") { Log.write(line) }
  case .success(let fresh):
    do throws(CommandFailure) {
      try responder.reload(fresh, files: files)
    } catch {
      Log.write("reload refused: \(error)")
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
