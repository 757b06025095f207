import Glibc

/// One HTTP exchange over a Unix socket: connect, write, read to the end.
struct SocketClient {
  struct Reply {
    var status: Int
    var body: String
  }

  var path: String

  /// Sends one request on a connection of its own.
  func request(
    _ method: String, _ target: String, type: String = "application/json", body: String? = nil
  ) throws -> Reply {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: outlay\r\nConnection: close\r\n"
    if let body {
      head += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    let reply = try exchange(Array((head + "\r\n" + (body ?? "")).utf8))
    let text = String(decoding: reply, as: UTF8.self)
    guard let gap = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3))
    else {
      throw SubjectFault(description: "no HTTP reply to \(method) \(target): \(text.prefix(200))")
    }
    var rest = String(text[gap.upperBound...])
    if text[..<gap.lowerBound].lowercased().contains("transfer-encoding: chunked") {
      rest = Self.joined(chunks: rest)
    }
    return Reply(status: status, body: rest)
  }

  /// Writes all of `bytes`, ends the writing side, reads until the peer closes.
  func exchange(_ bytes: [UInt8], endsWriting: Bool = false) throws -> [UInt8] {
    let handle = try connected()
    defer { close(handle) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SubjectFault(description: "write failed, error \(errno)") }
      written += count
    }
    if endsWriting { shutdown(handle, Int32(SHUT_WR)) }
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(handle, &buffer, buffer.count, 0)
      guard count >= 0 else { throw SubjectFault(description: "read failed, error \(errno)") }
      if count == 0 { return reply }
      reply += buffer[..<count]
    }
  }

  private func connected() throws -> Int32 {
    let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    precondition(path.utf8.count < room, "a socket's path is short")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(handle, $0, size) }
    }
    guard result == 0 else {
      let fault = SubjectFault(description: "connect to \(path) failed, error \(errno)")
      close(handle)
      throw fault
    }
    return handle
  }

  private static func joined(chunks text: String) -> String {
    var rest = Array(text.utf8)[...]
    var body: [UInt8] = []
    while let end = rest.firstIndex(of: 13) {
      let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) ?? 0
      let start = end + 2
      guard size > 0, start + size <= rest.endIndex else { break }
      body += rest[start..<start + size]
      rest = rest[(start + size + 2)...]
    }
    return String(decoding: body, as: UTF8.self)
  }

  /// Any bytes as one path segment.
  static func segment(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
