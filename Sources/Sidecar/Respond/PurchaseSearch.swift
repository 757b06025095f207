import AppStore
import Metering

/// Looks for a purchase that nobody has told of: in each configured environment, for each app. What
/// one of them can't answer keeps none of the others from being asked.
struct PurchaseSearch {
  /// What became of it.
  enum Result {
    /// Apple's word on it.
    case found(TransactionInfo)
    /// Every environment says that it has no such purchase.
    case unknown
    /// Nobody has it, and this one couldn't be asked.
    case unclear(AppStoreFault)
  }

  let appStore: AppStoreConnection
  let bundleIds: [ByteString]
  let environments: [StoreEnvironment]

  func look(for transaction: ByteString) -> Result {
    var trouble: AppStoreFault?
    for environment in environments {
      for bundleId in bundleIds {
        do throws(AppStoreFault) {
          let answer = try appStore.ask(
            .info(of: transaction), bundleId: bundleId, in: environment)
          guard let info = try? TransactionInfo(answer) else {
            throw .malformed("\(environment.rawValue): the answer has no transaction")
          }
          return .found(info)
        } catch {
          if !error.isUnknownTransaction { trouble = trouble ?? error }
        }
      }
    }
    return trouble.map { .unclear($0) } ?? .unknown
  }
}

extension AppStoreFault {
  /// Whether Apple has no such purchase of this app in this environment.
  var isUnknownTransaction: Bool {
    if case .refused(let refusal) = self {
      refusal.code == APIRefusal.transactionNotFound
    } else {
      false
    }
  }
}

extension Configuration {
  /// The environments that Apple is asked in, Production first.
  var storeEnvironments: [StoreEnvironment] {
    let known = environments.compactMap { StoreEnvironment($0) }
    return StoreEnvironment.allCases.filter { known.contains($0) }
  }
}
