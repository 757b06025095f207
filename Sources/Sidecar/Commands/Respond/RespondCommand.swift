import AppStore
import Metering
import Wire

/// What `outlay respond` does for people, beside running.
package enum RespondCommand {
  /// `--dry-run`: prints what would be sent for a case and why. Returns 1 when nothing would be.
  /// Throws when the server can't be reached or doesn't know the case.
  package static func dryRun(
    case id: String, configuration file: String?, address: ServerAddress,
    environment: [String: String]
  ) throws(CommandFailure) -> Int32 {
    guard let colon = id.lastIndex(of: ":") else {
      throw CommandFailure("\(id) is no case; cases look like 700001234567890:1")
    }
    let transaction = String(id[..<colon])
    let answer = try AnswerJSON.parse(
      try ShowCommand.consumption(of: transaction, address: address))
    guard let found = answer["refundCase"]?["case"]?.string?.string else {
      throw CommandFailure("no refund request is known for \(transaction)")
    }
    guard found == id else { throw CommandFailure("\(id) has been followed by \(found)") }
    let reasons = (answer["because"]?.elements ?? []).compactMap(\.text)
    Console.print("case       \(id), \(JSONNode.plain(answer["refundCase"]?["state"]))\n")
    Console.print("respond by \(JSONNode.plain(answer["refundCase"]?["respondBy"]))\n")
    for reason in reasons { Console.print("because    \(reason)\n") }
    guard let proposal = answer["consumptionRequest"], !proposal.isNull else {
      Console.print("nothing    would be sent: \(JSONNode.plain(answer["gate"]))\n")
      return ExitCode.failure
    }
    do throws(ConsumptionBody.Fault) {
      let call = AppStoreCall.sendConsumption(
        try ConsumptionBody(proposal), of: ByteString(transaction))
      let word = answer["environment"]?.string.flatMap { StoreEnvironment($0) }
      let host = word.map { hosts(file, environment)[$0] } ?? ""
      Console.print("\(call.method) \(host)\(call.target)\n")
      Console.print(String(decoding: call.body, as: UTF8.self) + "\n")
    } catch {
      throw CommandFailure("the proposed body can't be sent: \(error)")
    }
    return ExitCode.success
  }

  /// Apple's, unless a configuration that can be read names others.
  private static func hosts(_ file: String?, _ environment: [String: String]) -> AppStoreHosts {
    let loaded = try? ConfigurationFile.load(file, environment: environment).get()
    return AppStoreHosts(loaded?.responder ?? ResponderSettings())
  }

  /// `--test`: asks Apple for a test notification and waits until it says what became of it.
  /// Returns 1 when it couldn't be delivered. Throws for an environment that doesn't exist, and
  /// when Apple can't be asked.
  package static func test(
    _ session: AppStoreSession, in environment: String?, bundle: String?
  ) throws -> Int32 {
    let environment = try AppStoreSession.environment(environment)
    let bundleId = try session.bundleId(bundle)
    let asked = try TestNotificationToken(
      try session.connection.ask(.requestTest, bundleId: bundleId, in: environment))
    Console.print("asked Apple for a test notification (\(environment.rawValue))\n")
    let end =
      CommandSystem.monotonicNanoseconds() + UInt64(RespondLimits.testMilliseconds) * 1_000_000
    while CommandSystem.monotonicNanoseconds() < end {
      if let sent = try status(asked.token, session, bundleId, environment),
        let result = sent.results.last
      {
        Console.print("Apple says \(result)\n")
        return result == "SUCCESS" ? ExitCode.success : ExitCode.failure
      }
      CommandSystem.sleep(milliseconds: RespondLimits.testPauseMilliseconds)
    }
    throw CommandFailure("Apple hasn't sent it within \(RespondLimits.testMilliseconds / 1000) s")
  }

  /// nil while Apple doesn't know the notification yet.
  private static func status(
    _ token: ByteString, _ session: AppStoreSession, _ bundleId: ByteString,
    _ environment: StoreEnvironment
  ) throws -> SentNotification? {
    do throws(AppStoreFault) {
      let answer = try session.connection.ask(
        .testStatus(token), bundleId: bundleId, in: environment)
      return try? SentNotification(answer)
    } catch {
      if case .refused(let refusal) = error, refusal.code == APIRefusal.testNotificationNotFound {
        return nil
      }
      throw error
    }
  }
}
