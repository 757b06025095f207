/// Whether a thread stays awake for what comes next instead of sleeping at once.
///
/// A processor that has gone idle takes tens of microseconds to wake up, as long as all else that
/// happens to a lone event. A sender of one event after another is answered sooner by threads that
/// let others run for a moment first; where the next thing takes longer than that, they sleep.
package struct BriefWait {
  private var isAwake = false

  package init() {}

  /// Calls `look`, which says whether there is anything, again and again for as long as it seems
  /// worth it, and `sleep`, which waits, unless there was. `isLone` says whether the last thing was
  /// a single event: only then is the time well spent.
  package mutating func wait(isLone: Bool, look: () -> Bool, sleep: () -> Void) {
    guard isLone else { return sleep() }
    let nanoseconds = Limits.briefWaitNanoseconds
    let start = System.monotonicNanoseconds()
    var isThere = false
    if isAwake {
      repeat {
        isThere = look()
        if !isThere { System.yield() }
      } while !isThere && System.monotonicNanoseconds() - start < nanoseconds
    }
    if !isThere { sleep() }
    isAwake = System.monotonicNanoseconds() - start < nanoseconds
  }
}
