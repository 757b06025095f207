import AppStore
import Metering

/// A responder in the demonstration's own process, beside the server's, with a fake in place of
/// Apple: ``DemoStore`` takes its answers, ``DemoNotifier`` sends what it waits for.
final class DemoResponder {
  private let responder: Responder
  private let signer: ThrowawaySigner
  private let path: String
  private let intake: String
  /// Where its metrics are.
  let metricsAddress: String

  /// Puts the files of Apple's side into a child's folder, before the child starts, which then
  /// believes what is signed here. Throws when that can't be done.
  static func prepare(_ child: ServerChild, now: Int64) throws(CommandFailure) -> ThrowawaySigner {
    do {
      let signer = try ThrowawaySigner(now: Instant(milliseconds: now))
      let key = try ThrowawaySigner.makePrivateKey()
      try CommandSystem.writeSecret("\(child.folder)/\(DemoConfiguration.rootFile)", signer.root)
      try CommandSystem.writeSecret("\(child.folder)/\(DemoConfiguration.keyFile)", key)
      return signer
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("libcrypto has no memory")
    }
  }

  /// Starts it beside a child. Throws when it can't be started.
  init(beside child: ServerChild, signer: ThrowawaySigner) throws(CommandFailure) {
    self.signer = signer
    do {
      let configuration = try ConfigurationFile.load(child.configurationPath, environment: [:])
        .get()
      let files = ConfiguredFiles(configurationPath: child.configurationPath, environment: [:])
      responder = try Responder(configuration, files: files) { DemoStore() }
      let addresses = try responder.start()
      (intake, metricsAddress) = (addresses.intake, addresses.metrics)
      path = configuration.responder.path
    } catch {
      throw CommandFailure("the responder can't be started: \(error)")
    }
  }

  /// What tells it what Apple would. Throws when it doesn't listen any more.
  func notifier(now: Int64) throws(CommandFailure) -> DemoNotifier {
    try DemoNotifier(signer: signer, address: intake, path: path, now: now)
  }

  /// Ends it.
  func stop() { _ = responder.stop() }
}
