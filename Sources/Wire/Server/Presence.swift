import Synchronization

/// Whether a connection is still there, for those on other threads who work for it.
final class Presence: Sendable {
  private let hasEnded = Atomic<Bool>(false)

  /// Whether nobody is left who would read an answer.
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// The connection is gone.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}
