import AppStore
import Foundation
import Metering
import Wire

/// Tells what Apple would in the demonstration: signed notifications, posted to who awaits them.
struct DemoNotifier {
  private let signer: ThrowawaySigner
  private let client: UnixHTTPClient
  private let path: String
  private let now: Int64
  private var signed: Int64 = 0

  /// Posts to the path of an address; `now` is when the purchases were laid out, milliseconds since
  /// 1970. Throws when nothing listens there.
  init(
    signer: ThrowawaySigner, address: String, path: String, now: Int64
  ) throws(CommandFailure) {
    self.signer = signer
    self.path = path
    self.now = now
    do throws(WireError) {
      client = try UnixHTTPClient(tcp: address)
    } catch {
      throw CommandFailure("\(error)")
    }
  }

  /// Has a customer ask for a refund, so many hours ago as Apple's signature has it.
  mutating func ask(
    _ purchase: DemoPurchase, reason: String, hoursAgo: Int64 = 0
  ) throws(CommandFailure) {
    try post(
      "CONSUMPTION_REQUEST", purchase, at: next() - hoursAgo * 3_600_000,
      ",\"consumptionRequestReason\":\"\(reason)\"")
  }

  /// Gives all or, with thousandths of a percent, a part of the money back.
  mutating func refund(
    _ purchase: DemoPurchase, percentage: Int64? = nil
  ) throws(CommandFailure) {
    let date = next()
    let kind =
      percentage.map { "\"REFUND_PRORATED\",\"revocationPercentage\":\($0)" }
      ?? "\"REFUND_FULL\""
    try post(
      "REFUND", purchase, at: date,
      revocation: ",\"revocationDate\":\(date),\"revocationType\":\(kind)")
  }

  /// Takes a refund back.
  mutating func reverse(_ purchase: DemoPurchase) throws(CommandFailure) {
    try post("REFUND_REVERSED", purchase, at: next())
  }

  /// An instant after that of the notification before, milliseconds since 1970.
  private mutating func next() -> Int64 {
    signed = max(signed + 1, CommandSystem.wallMicroseconds() / 1000)
    return signed
  }

  private func post(
    _ type: String, _ purchase: DemoPurchase, at date: Int64, _ more: String = "",
    revocation: String = ""
  ) throws(CommandFailure) {
    let transaction = try sign(
      purchase.payload(
        nowMilliseconds: now, adding: ",\"signedDate\":\(date)\(revocation)"))
    let payload = try sign(
      """
      {"notificationType":"\(type)","notificationUUID":"\(UUID().uuidString)","version":"2.0",\
      "signedDate":\(date),"data":{"bundleId":"com.example.app","appAppleId":1234567890,\
      "environment":"Production","signedTransactionInfo":"\(transaction)"\(more)}}
      """)
    let request = ClientRequest(
      "POST", path, headers: [("Content-Type", "application/json")],
      body: Array("{\"signedPayload\":\"\(payload)\"}".utf8))
    _ = try ServerAddress.send(request, by: client)
  }

  private func sign(_ payload: String) throws(CommandFailure) -> ByteString {
    do {
      return try signer.sign(Array(payload.utf8))
    } catch {
      throw CommandFailure("libcrypto has no memory")
    }
  }
}
