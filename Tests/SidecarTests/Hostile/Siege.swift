import Foundation
import Synchronization

/// Every hostile client at once, each in a thread of its own, again and again until it is lifted.
final class Siege: @unchecked Sendable {
  // Unchecked: `rounds` guards itself; the rest never changes after `init`.
  private let place: HostilePlace
  private let times: Int
  private let isOver = Atomic(false)
  private let rounds = Mutex<[HostileClient: Int]>([:])
  private let threads = DispatchGroup()

  /// Begins it, with so many connections of each kind in a round.
  init(of place: HostilePlace, times: Int) {
    self.place = place
    self.times = times
    for client in HostileClient.allCases {
      threads.enter()
      let thread = Thread { [self] in
        attack(as: client)
        threads.leave()
      }
      thread.start()
    }
  }

  private func attack(as client: HostileClient) {
    while !isOver.load(ordering: .acquiring) {
      // What is kept is dropped only when the next round has begun; who is turned away comes again.
      guard let kept = try? client.attack(place, times: times) else {
        sched_yield()
        continue
      }
      rounds.withLock { $0[client, default: 0] += 1 }
      withExtendedLifetime(kept) { hold() }
    }
  }

  /// A second: what is held is what shuts others out. A storm of connections is another matter: of
  /// one's own user nobody is safe from it, and others' places it doesn't touch (StrangerTests).
  private func hold() {
    for _ in 0..<100 where !isOver.load(ordering: .acquiring) { usleep(10_000) }
  }

  /// Whether each of them has had a round at least.
  var isWhole: Bool { rounds.withLock { $0.count } == HostileClient.allCases.count }

  /// How often they came in all.
  var count: Int { rounds.withLock { $0.values.reduce(0, +) } }

  /// No further round begins.
  func end() { isOver.store(true, ordering: .releasing) }

  /// Ends it and waits, once the server is gone and holds nobody up.
  func lift() {
    end()
    threads.wait()
  }
}
