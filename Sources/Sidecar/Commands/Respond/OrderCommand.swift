import AppStore
import Metering
import Store

/// `outlay order`: what a customer bought with the order whose number stands on the receipt.
package struct OrderCommand {
  /// The number, such as "MQ1234ABCD".
  private let order: String
  private let bundle: String?

  /// Looks up an order of an app, or of the only one.
  package init(order: String, bundle: String?) {
    self.order = order
    self.bundle = bundle
  }

  /// Prints a line for each field of each transaction. Returns 1 for an order that isn't the app's.
  package func run(_ session: AppStoreSession) throws -> Int32 {
    let answer = try session.connection.ask(
      .lookUp(order: ByteString(order)), bundleId: try session.bundleId(bundle), in: .production)
    let found = try OrderLookUp(answer)
    guard found.isValid else {
      Console.complain("\(order) is no order of this app")
      return ExitCode.failure
    }
    let verifier = try session.verifier()
    for signed in found.signedTransactions {
      do throws(VerificationFault) {
        let transaction = try verifier.verifiedTransaction(signed, now: SystemClock.now())
        Console.print(Self.text(of: transaction.payload))
      } catch {
        throw CommandFailure("a transaction of the answer isn't believed: \(error)")
      }
    }
    return ExitCode.success
  }

  private static func text(of payload: JSONNode) -> String {
    var table = TextTable(["transaction", JSONNode.plain(payload["transactionId"])])
    for name in [
      "originalTransactionId", "productId", "type", "quantity", "inAppOwnershipType", "storefront",
      "price", "currency", "revocationType", "revocationPercentage",
    ] {
      guard let value = payload[name]?.text else { continue }
      table.add(["  \(name)", value])
    }
    for name in ["purchaseDate", "expiresDate", "revocationDate"] {
      guard let date = payload[name]?.integer else { continue }
      table.add(["  \(name)", Instant(milliseconds: date).description])
    }
    return table.text()
  }
}
