package import Metering

/// Where a frame of a commit lies, told once the commit is durable.
package struct PlacedFrame: Equatable, Sendable {
  /// Number of the frame in its commit.
  package var index: Int
  /// For ``Journal/read(_:)``.
  package var address: UInt64
  /// Sequence number of the frame.
  package var sequence: UInt64
  /// The chain's hash behind it.
  package var chain: Hash128
}
