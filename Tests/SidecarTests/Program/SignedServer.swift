import Foundation
import Metering
import Testing
import Wire

@testable import Sidecar

/// The built program with an app of its own, whose payloads are signed under a chain made for it.
final class SignedServer {
  struct Answer {
    var status: Int
    var node: JSONNode

    /// Status and code of a problem, or what a notification came to.
    var summary: String {
      if let code = node["code"]?.string { return "\(status) \(code.string)" }
      let flags = ["applied", "duplicate"].filter { node[$0]?.bool == true }
      let refundCase = node["case"]?.string.map { [$0.string] } ?? []
      return (["\(status)"] + flags + refundCase).joined(separator: " ")
    }
  }

  let child: ServerChild
  /// The payloads, signed, in their order.
  let signed: [String]

  /// Signs payloads and starts a server that believes them; `environments` are those it takes.
  init(signing payloads: [String], environments: String = "[\"Production\", \"Sandbox\"]") throws {
    child = try ServerChild(
      parent: "/tmp",
      body: """
          meters: { credits: { unit: "{credit}" } },
          prices: [{ meter: "credits", price: "0.001", per: "1", currency: "USD" }],
          products: { "com.example.credits.5000": { allowance: { credits: "5000" } } },
          environments: \(environments),
          appStore: { bundleIds: ["com.example.app"], appAppleId: 1234567890,
                      rootCertificates: ["root.der"] },
        """, preferredPort: 0, executable: try Binary.path())
    let made = try Self.sign(payloads, in: child.folder)
    let root = try #require(made["root"]?.string.flatMap { Data(base64Encoded: Data($0.bytes)) })
    try root.write(to: URL(fileURLWithPath: "\(child.folder)/root.der"))
    signed = (made["signed"]?.elements ?? []).compactMap { $0.string?.string }
    try child.start()
  }

  deinit { child.finish() }

  private static func sign(_ payloads: [String], in folder: String) throws -> JSONNode {
    let python = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
    let input = "\(folder)/payloads.json"
    try "[\(payloads.joined(separator: ","))]".write(
      toFile: input, atomically: false, encoding: .utf8)
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-B", "\(tests)/AppStoreTests/Samples/sign_payloads.py", input]
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONNode.parse(Array(said), dialect: .strict)
  }

  func send(_ method: String, _ path: String, _ body: String = "") throws -> Answer {
    let client = try UnixHTTPClient(path: child.socketPath)
    client.patienceMilliseconds = Patience.milliseconds
    let response = try client.send(
      ClientRequest(method, "/v1/\(path)", body: Array(body.utf8)))
    let text = response.body.isEmpty ? Array("null".utf8) : response.body
    return Answer(status: response.status, node: try JSONNode.parse(text, dialect: .strict))
  }

  func notify(_ number: Int) throws -> Answer {
    try send("POST", "notifications", "{\"signedPayload\":\"\(signed[number])\"}")
  }

  func put(_ number: Int) throws -> Answer {
    try send("POST", "transactions", "{\"signedTransactionInfo\":\"\(signed[number])\"}")
  }

  func state(_ id: String) throws -> String {
    let answer = try send("GET", "transactions/\(id)")
    return answer.node["state"]?.string?.string ?? "\(answer.status)"
  }
}

/// Payloads as Apple words them; times are minutes from now.
struct AppleWords {
  /// Milliseconds.
  let now = Int64(Date().timeIntervalSince1970) * 1_000

  func minute(_ minute: Int64) -> Int64 { now + minute * 60_000 }

  func transaction(
    _ id: String, signed: Int64, original: String? = nil, isSubscription: Bool = false,
    environment: String = "Production", more: String = ""
  ) -> String {
    let end = isSubscription ? ",\"expiresDate\":\(minute(60))" : ""
    let type = isSubscription ? "Auto-Renewable Subscription" : "Consumable"
    return """
      {"transactionId":"\(id)","originalTransactionId":"\(original ?? id)",
       "bundleId":"com.example.app","productId":"com.example.credits.5000","type":"\(type)",
       "environment":"\(environment)","purchaseDate":\(minute(-60)),"price":9990,
       "currency":"USD","inAppOwnershipType":"PURCHASED","quantity":1,
       "signedDate":\(minute(signed))\(end)\(more)}
      """
  }

  func renewal(_ original: String, signed: Int64, more: String = "") -> String {
    """
    {"originalTransactionId":"\(original)","autoRenewProductId":"com.example.credits.5000",
     "autoRenewStatus":1,"environment":"Production","signedDate":\(minute(signed))\(more)}
    """
  }

  /// A notification with `data` of Production.
  func notification(
    _ type: String, _ subtype: String? = nil, id: String, signed: Int64,
    transaction: String? = nil, renewal: String? = nil, more: String = ""
  ) -> String {
    var data = ["\"bundleId\":\"com.example.app\"", "\"environment\":\"Production\""]
    data.append("\"appAppleId\":1234567890")
    if let transaction { data.append("\"signedTransactionInfo\":\(transaction)") }
    if let renewal { data.append("\"signedRenewalInfo\":\(renewal)") }
    return notification(
      type, subtype, id: id, signed: signed,
      container: "\"data\":{\(data.joined(separator: ","))\(more)}")
  }

  func notification(
    _ type: String, _ subtype: String?, id: String, signed: Int64, container: String
  ) -> String {
    let subtype = subtype.map { ",\"subtype\":\"\($0)\"" } ?? ""
    return """
      {"notificationType":"\(type)"\(subtype),"notificationUUID":"\(id)","version":"2.0",
       "signedDate":\(minute(signed)),\(container)}
      """
  }
}
