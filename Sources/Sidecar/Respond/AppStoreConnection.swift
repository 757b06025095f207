import AppStore
import Metering
import Store
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
  private let signers: APISigners
  private let state: ResponderState

  init(
    _ settings: ResponderSettings, signers: APISigners, transport: any AppStoreTransport,
    state: ResponderState
  ) {
    self.transport = transport
    hosts = AppStoreHosts(settings)
    self.signers = signers
    self.state = state
  }

  /// Sends a call about an app with a token of its own. Any 2xx is a success, anything else a
  /// refusal, whose instants are by our clock. Throws without an answer. With `byServerClock` the
  /// token is dated by Apple's clock.
  func send(
    _ call: AppStoreCall, bundleId: ByteString, to environment: StoreEnvironment,
    byServerClock: Bool = false
  ) throws(NetworkFault) -> Result<HTTPResponse, APIRefusal> {
    guard let signer = signers[bundleId] else {
      throw NetworkFault(.unusable, "\(bundleId) is none of the configuration's bundle ids")
    }
    let before = SystemClock.now()
    // How far Apple's clock is ahead is known to a second, and no token may come from the future.
    let date =
      byServerClock
      ? before.adding(
        microseconds: (state.clockSkew ?? 0) - RespondLimits.agreeingClocksMicroseconds) : before
    let token: APIToken
    do throws(APITokenFault) {
      token = try signer.token(now: date)
    } catch {
      throw NetworkFault(.unusable, "no token: \(error)")
    }
    var headers = [("Authorization", "Bearer \(token.text)"), ("Accept", "application/json")]
    if !call.body.isEmpty { headers.append(("Content-Type", "application/json")) }
    let request = ClientRequest(call.method, call.target, headers: headers, body: call.body)
    let start = SystemClock.monotonic()
    let response: HTTPResponse
    do throws(NetworkFault) {
      response = try transport.send(request, to: hosts[environment])
    } catch {
      state.called(call.endpoint, result: error.kind.rawValue, since: start)
      throw error
    }
    state.called(call.endpoint, result: "\(response.status / 100)xx", since: start)
    state.compareClocks(
      serverDate: response.header("Date"), before: before, after: SystemClock.now())
    if (200..<300).contains(response.status) { return .success(response) }
    var refusal = APIRefusal(
      status: response.status, body: response.body, retryAfter: response.header("Retry-After"))
    refusal.retryAfter = refusal.retryAfter.map { ours($0) }
    return .failure(refusal)
  }

  /// An instant of Apple's clock by ours. Where they differ, how much is known to a second: the
  /// later of both ends counts.
  private func ours(_ instant: Instant) -> Instant {
    let ahead = state.aheadOfUs
    return ahead == 0 ? instant : instant.adding(microseconds: 1_000_000 - ahead)
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
