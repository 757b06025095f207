import Glibc
import Testing

@testable import Wire

@Suite struct SocketFileTests {
  private func listener(_ path: String, mode: UInt32 = 0o600) throws -> EventLoop {
    let loop = try EventLoop()
    try loop.listen(.unix(path: path, mode: mode, group: nil), http: EchoHTTP())
    return loop
  }

  @Test func aDeadSocketIsReplaced() throws {
    let folder = try temporaryFolder()
    let path = folder + "/s"
    // Bound and closed without unlinking: what a killed process leaves.
    close(try System.bind(.unix(path), subject: path))
    let loop = try listener(path)
    #expect(throws: Never.self) { try UnixHTTPClient(path: path) }
    loop.stop(within: .zero)
    #expect(access(path, F_OK) != 0)
    rmdir(folder)
  }

  @Test func aLiveSocketIsLeftAlone() throws {
    let server = try TestServer()
    let error = #expect(throws: WireError.self) { try listener(server.path) }
    #expect(error?.reason == "another process already listens there")
    #expect(try UnixHTTPClient(path: server.path).send(ClientRequest("GET", "/")).status == 200)
  }

  @Test func anotherFileIsLeftAlone() throws {
    let folder = try temporaryFolder()
    let path = folder + "/s"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    let error = #expect(throws: WireError.self) { try listener(path) }
    #expect(error?.reason == "something that isn't a socket is there")
    #expect(unlink(path) == 0)
    rmdir(folder)
  }

  @Test(arguments: [0o600, 0o660, 0o666]) func theModeIsAsAsked(mode: UInt32) throws {
    let server = try TestServer(mode: mode)
    var status = stat()
    stat(server.path, &status)
    #expect(status.st_mode & 0o777 == mode)
  }

  @Test func aPathOneByteTooLongIsNamed() throws {
    let folder = try temporaryFolder()
    let room = Limits.socketPathBytes - folder.utf8.count - 1
    let fitting = try listener(folder + "/" + String(repeating: "x", count: room))
    fitting.stop(within: .zero)
    let long = folder + "/" + String(repeating: "x", count: room + 1)
    let error = #expect(throws: WireError.self) { try listener(long) }
    #expect(error?.reason == "108 bytes are more than the 107 a socket can have")
    rmdir(folder)
  }

  @Test(arguments: ["localhost:1", "127.0.0.1", "127.0.0.1:x", "::1:5", "[::1]:70000", ""])
  func malformedAddressesAreRefused(text: String) {
    #expect(throws: WireError.self) { try System.SocketAddress.tcp(text) }
  }
}
