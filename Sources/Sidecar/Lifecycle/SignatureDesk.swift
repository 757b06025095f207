import AppStore
import Dispatch
import Metering
import Store
import Synchronization
import Wire

/// Proves signed input on a thread of its own, since that takes milliseconds: neither the loop nor
/// questions should wait for it.
final class SignatureDesk: Sendable {
  private let queue = DispatchQueue(label: "signatures")
  private let waiting = Atomic<Int>(0)
  private let proved: @Sendable (Command, HTTPReply) -> Void

  /// Hands on what is proved, from its own thread.
  init(proved: @escaping @Sendable (Command, HTTPReply) -> Void) { self.proved = proved }

  /// Proves an input, or answers why not. Loop thread only; too many waiting ones are told to come
  /// again.
  func take(_ input: SignedInput, by verifier: SignedDataVerifier, for reply: HTTPReply) {
    guard waiting.load(ordering: .relaxed) < RouteLimits.waitingSignatures else {
      return reply.send(Problem.busy.response)
    }
    waiting.add(1, ordering: .relaxed)
    queue.async { [self] in
      defer { waiting.subtract(1, ordering: .relaxed) }
      do throws(Problem) {
        proved(try SignedCommand.prove(input, by: verifier, now: SystemClock.now()), reply)
      } catch {
        reply.send(error.response)
      }
    }
  }

  /// Waits until everything that came is handed on.
  func finish() { queue.sync {} }
}
