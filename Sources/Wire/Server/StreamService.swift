/// What takes the lines of NDJSON streams. Called on the loop thread only.
///
/// Each stream gets `opened` first, and ends either with the service's own `close()` or with
/// `aborted`, after which nothing more is called for it.
package protocol StreamService: AnyObject, Sendable {
  /// A connection began with "{".
  func opened(_ stream: StreamHandle)

  /// Takes one or more complete lines, each ending in a newline (blank ones included), in order.
  /// The bytes are valid during the call only. At most `Limits.readBytes` arrive in one call.
  /// Returns how many bytes of them were taken, whole lines; having left some, the service calls
  /// `EventLoop.pauseIngest()`, and gets them again after `resumeIngest()`.
  func receive(_ stream: StreamHandle, _ lines: UnsafeRawBufferPointer) -> Int

  /// Stands for one line longer than `Limits.lineBytes`, whose rest is skipped.
  func tooLong(_ stream: StreamHandle)

  /// No more lines will come: the peer closed its side (a last line without newline was delivered
  /// with one), or the loop is stopping. The service calls `close()` after its last
  /// acknowledgement.
  func finished(_ stream: StreamHandle)

  /// The connection is gone; nothing can be written to it any more.
  func aborted(_ stream: StreamHandle)
}
