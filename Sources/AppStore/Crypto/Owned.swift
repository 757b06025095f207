import CCrypto

/// A handle of libcrypto that is freed exactly once, when its only owner goes.
struct Owned: ~Copyable {
  let handle: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes over what a function of libcrypto made; nil if it made nothing.
  init?(_ handle: OpaquePointer?, free: @convention(c) (OpaquePointer?) -> Void) {
    guard let handle else { return nil }
    self.handle = handle
    self.free = free
  }

  deinit { free(handle) }

  /// Lets go of the handle because another handle owns it from now on.
  consuming func given() -> OpaquePointer {
    let handle = self.handle
    discard self
    return handle
  }
}

/// What libcrypto itself can't do, as opposed to what a certificate or signature gets wrong.
package struct CryptoUnavailable: Error {}

enum CryptoErrors {
  /// Empties the thread's error queue. libcurl reads the same queue and would take a refused
  /// signature for its own fault.
  static func forget() { ERR_clear_error() }
}
