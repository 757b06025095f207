import Foundation
import Testing

@testable import Wire

@Suite struct AttentionTests {
  /// What a wait did.
  private struct Seen: Equatable {
    var looks = 0
    var sleeps = 0
  }

  private func wait(
    _ attention: inout BriefWait, isLone: Bool = true, microseconds: UInt32 = 0
  ) -> Seen {
    var seen = Seen()
    attention.wait(isLone: isLone) {
      seen.looks += 1
      return true
    } sleep: {
      seen.sleeps += 1
      if microseconds > 0 { usleep(microseconds) }
    }
    return seen
  }

  @Test func whatIsNotLoneIsSleptFor() {
    var attention = BriefWait()
    for _ in 0..<3 { #expect(wait(&attention, isLone: false) == Seen(looks: 0, sleeps: 1)) }
  }

  /// Only a wait that was short is worth staying awake for; a busy machine may stretch some.
  @Test func aShortWaitKeepsAwake() {
    let isAwake = (0..<1_000).contains { _ in
      var attention = BriefWait()
      _ = wait(&attention)
      return wait(&attention) == Seen(looks: 1, sleeps: 0)
    }
    #expect(isAwake)
  }

  @Test func aLongWaitEndsIt() {
    var attention = BriefWait()
    _ = wait(&attention, microseconds: 1_000)
    #expect(wait(&attention) == Seen(looks: 0, sleeps: 1))
  }
}
