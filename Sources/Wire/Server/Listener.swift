/// A listening socket and what speaks on its connections.
struct Listener {
  let descriptor: Int32
  /// The path or address bound.
  let name: String
  let http: any HTTPService
  let stream: (any StreamService)?
  let capacity: Int
  let isUnix: Bool
  /// The socket's own file, removed at the end if it still is ours.
  let file: System.FileIdentity?
  var connections = 0
  /// Connections by the user that has them.
  var users: [UInt32: Int] = [:]
  var isAccepting = true
  /// What one user may have of the capacity.
  var share: Int { max(1, capacity * Limits.userSharePercent / 100) }
  /// After descriptors ran out: no accept before this instant.
  var pausedUntil = Int64.min

  static func open(
    _ address: ListenAddress, http: any HTTPService, stream: (any StreamService)?, capacity: Int
  ) throws(WireError) -> Listener {
    switch address {
    case .unix(let path, let mode, let group):
      let (descriptor, file) = try openUnix(path, mode: mode, group: group)
      return Listener(
        descriptor: descriptor, name: path, http: http, stream: stream, capacity: capacity,
        isUnix: true, file: file)
    case .tcp(let text):
      let descriptor = try System.bind(.tcp(text), subject: text)
      try orClose(descriptor) { () throws(WireError) in
        try System.listen(descriptor, subject: text)
      }
      let digits = text.utf8.reversed().prefix { $0 != UInt8(ascii: ":") }.count
      let name = String(text.dropLast(digits)) + String(System.boundPort(descriptor))
      return Listener(
        descriptor: descriptor, name: name, http: http, stream: stream,
        capacity: capacity, isUnix: false, file: nil)
    }
  }

  private static func openUnix(
    _ path: String, mode: UInt32, group: String?
  ) throws(WireError) -> (Int32, System.FileIdentity?) {
    let address = try System.SocketAddress.unix(path)
    var groupNumber: UInt32?
    if let group { groupNumber = try System.group(group) }
    try clear(path, address)
    let descriptor = try System.bind(address, subject: path)
    // Until `listen` nobody can connect, so no one slips in before mode and group are right.
    try orClose(descriptor, path) { () throws(WireError) in
      try System.setMode(path, mode)
      if let groupNumber { try System.setGroup(path, groupNumber) }
      try System.listen(descriptor, subject: path)
    }
    return (descriptor, try? System.identity(path))
  }

  /// Removes a socket that nobody listens on; refuses to touch anything else.
  private static func clear(
    _ path: String, _ address: System.SocketAddress
  ) throws(WireError) {
    guard let before = try System.identity(path) else { return }
    guard before.isSocket else {
      throw WireError(
        operation: "listen on", subject: path, reason: "something that isn't a socket is there")
    }
    do throws(WireError) {
      System.close(try System.connect(address, subject: path))
    } catch {
      guard error.isRefusal else { throw error }
      guard try System.identity(path) == before else {
        throw WireError(
          operation: "listen on", subject: path, reason: "another process is just taking it")
      }
      try System.remove(path)
      return
    }
    throw WireError(
      operation: "listen on", subject: path, reason: "another process already listens there")
  }

  private static func orClose(
    _ descriptor: Int32, _ path: String? = nil, _ body: () throws(WireError) -> Void
  ) throws(WireError) {
    do throws(WireError) {
      try body()
    } catch {
      System.close(descriptor)
      if let path { try? System.remove(path) }
      throw error
    }
  }

  func close() {
    System.close(descriptor)
    if let file, (try? System.identity(name)) == file { try? System.remove(name) }
  }
}
