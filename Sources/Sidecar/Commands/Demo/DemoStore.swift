import AppStore
import Metering
import Wire

/// Apple's App Store Server API in the demonstration: it takes answers to refund requests, and has
/// nothing to catch up on. It stands where HTTPS to Apple would: nothing leaves the process, and
/// the way to Apple itself has no door for fakes.
final class DemoStore: AppStoreTransport {
  func send(_ request: ClientRequest, to origin: String) throws(NetworkFault) -> HTTPResponse {
    let isSigned = request.headers.contains {
      $0.name == "Authorization" && $0.value.hasPrefix("Bearer ")
    }
    guard isSigned else { return HTTPResponse(status: 401) }
    let path = request.target.prefix { $0 != "?" }
    if path.hasPrefix("/inApps/v2/transactions/consumption/") { return take(request.body) }
    if path == "/inApps/v1/notifications/history" {
      return .json(Array(#"{"notificationHistory":[],"hasMore":false}"#.utf8))
    }
    if path.hasPrefix("/inApps/v2/refund/lookup/") {
      return .json(Array(#"{"signedTransactions":[],"revision":"1","hasMore":false}"#.utf8))
    }
    let unknown = #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#
    return HTTPResponse(status: 404, body: Array(unknown.utf8))
  }

  private func take(_ body: [UInt8]) -> HTTPResponse {
    do {
      _ = try ConsumptionBody(try JSONNode.parse(body, dialect: .strict))
      return HTTPResponse(status: 202)
    } catch {
      return HTTPResponse(status: 400)
    }
  }
}
