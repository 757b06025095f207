import AppStore
import Metering
import Wire

/// Why a question to Apple has no answer.
enum AppStoreFault: Error, CustomStringConvertible {
  case network(NetworkFault)
  case refused(APIRefusal)
  case malformed(String)

  var description: String {
    switch self {
    case .network(let fault): "the App Store can't be reached: \(fault)"
    case .refused(let refusal): "the App Store refuses: \(refusal)"
    case .malformed(let reason): reason
    }
  }
}

/// Signed calls to Apple on kept connections. For one thread at a time.
final class AppStoreConnection {
  private let transport: any AppStoreTransport
  private let hosts: AppStoreHosts
  private let signers: [ByteString: APITokenSigner]
  private let state: ResponderState

  /// Throws when the key can't be used.
  init(
    _ settings: ResponderSettings, credentials: APICredentials, transport: any AppStoreTransport,
    state: ResponderState
  ) throws {
    self.transport = transport
    hosts = AppStoreHosts(settings)
    var signers: [ByteString: APITokenSigner] = [:]
    for id in credentials.bundleIds { signers[id] = try credentials.signer(for: id) }
    self.signers = signers
    self.state = state
  }

  /// Sends a call about an app with a token of its own. Any 2xx is a success, anything else a
  /// refusal. Throws without an answer. With `byServerClock` the token is dated by Apple's clock.
  func send(
    _ call: AppStoreCall, bundleId: ByteString, to environment: StoreEnvironment,
    byServerClock: Bool = false
  ) throws(NetworkFault) -> Result<HTTPResponse, APIRefusal> {
    guard let signer = signers[bundleId] else {
      throw NetworkFault(.unusable, "\(bundleId) is none of the configuration's bundle ids")
    }
    let before = Clock.now()
    let date = byServerClock ? before.adding(microseconds: state.clockSkew ?? 0) : before
    let token: APIToken
    do throws(APITokenFault) {
      token = try signer.token(now: date)
    } catch {
      throw NetworkFault(.unusable, "no token: \(error)")
    }
    var headers = [("Authorization", "Bearer \(token.text)"), ("Accept", "application/json")]
    if !call.body.isEmpty { headers.append(("Content-Type", "application/json")) }
    let request = ClientRequest(call.method, call.target, headers: headers, body: call.body)
    let start = Clock.monotonic()
    let response: HTTPResponse
    do throws(NetworkFault) {
      response = try transport.send(request, to: hosts[environment])
    } catch {
      state.called(call.endpoint, result: error.kind.rawValue, since: start)
      throw error
    }
    state.called(call.endpoint, result: "\(response.status / 100)xx", since: start)
    state.compareClocks(serverDate: response.header("Date"), before: before, after: Clock.now())
    if (200..<300).contains(response.status) { return .success(response) }
    return .failure(
      APIRefusal(
        status: response.status, body: response.body,
        retryAfter: response.header("Retry-After")))
  }

  /// Asks a question whose answer is JSON; after 401 once more with another token.
  func ask(
    _ call: AppStoreCall, bundleId: ByteString, in environment: StoreEnvironment
  ) throws(AppStoreFault) -> JSONNode {
    var result = try attempt(call, bundleId, environment, byServerClock: false)
    if case .failure(let refusal) = result, refusal.status == 401 {
      result = try attempt(call, bundleId, environment, byServerClock: true)
    }
    switch result {
    case .failure(let refusal): throw .refused(refusal)
    case .success(let response):
      guard let node = try? JSONNode.parse(response.body, dialect: .strict) else {
        throw .malformed("the App Store's answer isn't JSON")
      }
      return node
    }
  }

  private func attempt(
    _ call: AppStoreCall, _ bundleId: ByteString, _ environment: StoreEnvironment,
    byServerClock: Bool
  ) throws(AppStoreFault) -> Result<HTTPResponse, APIRefusal> {
    do throws(NetworkFault) {
      return try send(call, bundleId: bundleId, to: environment, byServerClock: byServerClock)
    } catch {
      throw .network(error)
    }
  }
}
