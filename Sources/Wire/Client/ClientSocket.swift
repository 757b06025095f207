/// A connected socket that writes and reads at the same time, so that two full pipes never wait
/// for each other.
final class ClientSocket {
  private static let readBytes = 64 * 1024

  let descriptor: Int32
  let subject: String
  private(set) var isEnded = false
  /// Bytes received and not yet taken.
  var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: ClientSocket.readBytes)

  init(unix path: String, until deadline: CallDeadline = .never) throws(WireError) {
    subject = path
    descriptor = try System.connect(.unix(path), subject: path, milliseconds: deadline.left)
    System.setNonBlocking(descriptor)
  }

  init(tcp address: String, until deadline: CallDeadline = .never) throws(WireError) {
    subject = address
    descriptor = try System.connect(.tcp(address), subject: address, milliseconds: deadline.left)
    System.setNonBlocking(descriptor)
    System.sendAtOnce(descriptor)
  }

  deinit {
    System.close(descriptor)
  }

  func finishWriting() {
    System.shutdownWriting(descriptor)
  }

  /// Writes everything, receiving meanwhile. Throws when the peer has gone, or takes no more until
  /// the deadline.
  func write(_ bytes: [UInt8], until deadline: CallDeadline = .never) throws(WireError) {
    var start = 0
    while start < bytes.count {
      let result = bytes.withUnsafeBytes {
        System.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
      switch result {
      case .bytes(let count): start += count
      case .wouldBlock:
        let ready = System.wait(
          descriptor, input: !isEnded, output: true, milliseconds: deadline.left)
        guard ready.input || ready.output else {
          throw WireError(operation: "write to", subject: subject, reason: "not taken in time")
        }
        if ready.input { try receive() }
      case .failed(let code):
        try? receive()
        throw WireError(
          operation: "write to", subject: subject, reason: System.message(code), code: code)
      }
    }
  }

  /// Waits for bytes or the end; false when the time is over before.
  func waitForInput(milliseconds: Int32?) throws(WireError) -> Bool {
    if isEnded { return true }
    guard
      System.wait(descriptor, input: true, output: false, milliseconds: milliseconds).input
    else { return false }
    try receive()
    return true
  }

  /// Takes in what is there, without waiting.
  func receive() throws(WireError) {
    while !isEnded {
      let result = buffer.withUnsafeMutableBytes { System.receive(descriptor, into: $0) }
      switch result {
      case .bytes(0): isEnded = true
      case .bytes(let count):
        received += buffer[..<count]
        if count < buffer.count { return }
      case .wouldBlock: return
      case .failed(let code):
        isEnded = true
        throw WireError(
          operation: "read from", subject: subject, reason: System.message(code), code: code)
      }
    }
  }
}
