import Foundation
import Metering
package import Wire

/// Finds the socket of a running server and asks it.
package struct ServerAddress: Sendable {
  /// The socket's path.
  package var path: String

  /// The path given, else `OUTLAY_SOCKET`, else the one of the configuration given or that
  /// `OUTLAY_CONFIG` names, else where `serve` listens when nothing is configured; if nothing is
  /// there, the place of a system service. Throws what is wrong with the configuration.
  package init(
    given: String?, configuration: String?, environment: [String: String]
  ) throws {
    let named = configuration ?? environment["OUTLAY_CONFIG"]
    var found = given
    if given == nil, environment["OUTLAY_SOCKET"] == nil, named?.isEmpty == false {
      found = try ConfigurationFile.need(configuration, environment: environment).socketPath
    }
    self.init(given: found, environment: environment)
  }

  /// The same without a configuration.
  package init(given: String?, environment: [String: String]) {
    if let given = given ?? environment["OUTLAY_SOCKET"], !given.isEmpty {
      path = given
      return
    }
    let usual = ConfigurationFile.defaults(environment).socketPath
    let exists = FileManager.default.fileExists(atPath: usual)
    path = exists ? usual : "/run/outlay/outlay.sock"
  }

  /// A connected client. Throws what to do when nothing listens.
  package func connect() throws(CommandFailure) -> UnixHTTPClient {
    do throws(WireError) {
      return try UnixHTTPClient(path: path)
    } catch {
      throw CommandFailure(
        "\(error); is `outlay serve` running, and is this its socket? --socket and --config name it"
      )
    }
  }

  /// One question. Throws a failure that carries the server's own words for any status but 2xx.
  func get(_ target: String, accept: String? = nil) throws(CommandFailure) -> HTTPResponse {
    let client = try connect()
    let headers = accept.map { [("Accept", $0)] } ?? []
    return try Self.send(ClientRequest("GET", target, headers: headers), by: client)
  }

  /// Sends and takes any status but 2xx for a failure.
  static func send(
    _ request: ClientRequest, by client: UnixHTTPClient
  ) throws(CommandFailure) -> HTTPResponse {
    let answer: HTTPResponse
    do throws(WireError) {
      answer = try client.send(request)
    } catch {
      throw CommandFailure("\(error)")
    }
    guard (200..<300).contains(answer.status) else {
      throw CommandFailure(
        "\(request.method) \(request.target): \(answer.status) \(Self.reason(of: answer))")
    }
    return answer
  }

  private static func reason(of answer: HTTPResponse) -> String {
    guard let problem = try? AnswerJSON.parse(answer.body) else { return "" }
    return ["code", "title", "detail"].compactMap { problem[$0] }.map(JSONNode.plain)
      .joined(separator: ": ")
  }
}
