package import Metering

/// What time it is, so that tests can say so themselves.
package protocol Clock: Sendable {
  /// The wall clock; it may jump either way.
  func now() -> Instant
  /// Nanoseconds since some moment of this start of the machine; never goes back.
  func monotonic() -> UInt64
}

/// The machine's clocks.
package struct SystemClock: Clock {
  /// Both clocks of the kernel.
  package init() {}

  package func now() -> Instant { Self.now() }

  package func monotonic() -> UInt64 { Self.monotonic() }

  /// The wall clock, for those who are never told another.
  package static func now() -> Instant { Instant(microseconds: System.wallMicroseconds()) }

  /// Nanoseconds since some moment of this start of the machine.
  package static func monotonic() -> UInt64 { System.monotonicNanoseconds() }
}
