import CLinux
import Foundation
import Metering
import Store

/// Runs the sidecar until SIGTERM or SIGINT; SIGHUP reloads. Returns the exit status: 0 right,
/// 1 failed, 78 bad configuration.
package func runServe(configurationPath: String?, environment: [String: String]) -> Int32 {
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
  // Blocked before any thread starts, so that only the wait below sees them.
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  outlay_map_alone_from(mappedAloneBytes)
  switch ServiceSetup.load(configurationPath, environment: environment) {
  case .failure(let failure):
    let path = configurationPath ?? environment["OUTLAY_CONFIG"] ?? ""
    for line in failure.lines(of: path) { Log.write(line) }
    return ExitCode.configuration
  case .success(let setup):
    let limits = ResourceLimits.ofThisProcess()
    if let refusal = limits.refusal {
      Log.write(refusal)
      return ExitCode.failure
    }
    for note in limits.notes { Log.write(note) }
    do {
      try makeSocketFolder(of: setup.configuration, environment)
      let service = try Service(setup)
      let metrics = try service.start()
      let path = setup.configuration.socketPath
      Log.write("serving on \(path); metrics on http://\(metrics)/metrics")
      while true {
        var received: Int32 = 0
        sigwait(&signals, &received)
        guard received == SIGHUP else { break }
        service.reload(
          ServiceSetup.load(
            configurationPath, environment: environment,
            environments: service.current.environments))
      }
      service.stop()
      return 0
    } catch {
      Log.write("\(error)")
      return 1
    }
  }
}

/// Makes the folder of a socket that nobody placed elsewhere, for the owner only.
private func makeSocketFolder(
  of configuration: Configuration, _ environment: [String: String]
) throws {
  guard let folder = ConfigurationFile.privateFolder(environment),
    configuration.socketPath == folder + "/outlay.sock"
  else { return }
  try LinuxDisk.makeRoot(folder)
}

/// Allocations from this many bytes on are mapped alone and given back at once: memtables and
/// buffers come and go. The allocator would otherwise raise the size as they are freed and keep
/// their memory, measured 80 MiB of 340 at peak.
private let mappedAloneBytes: Int32 = 1 << 20
