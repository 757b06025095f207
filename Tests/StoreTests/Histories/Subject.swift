/// What is told about a purchase.
enum Change {
  case purchase(ReferencePurchase)
  case delivery(id: String, status: String)
  case customer(id: String, customer: String)
  case allowance(id: String, amounts: [String: String])
}

/// The answer to one batch, as far as the contract tells events apart.
struct BatchAnswer: Equatable {
  struct Result: Equatable {
    var index: Int
    /// `conflict` or the code of a rejection.
    var verdict: String
  }

  var accepted = 0
  var duplicates = 0
  var conflicts = 0
  var rejected = 0
  var results: [Result] = []

  init() {}

  init(_ verdicts: [ReferenceVerdict]) {
    for (index, verdict) in verdicts.enumerated() {
      switch verdict {
      case .accepted: accepted += 1
      case .duplicate: duplicates += 1
      case .conflict:
        conflicts += 1
        results.append(Result(index: index, verdict: "conflict"))
      case .rejected(let code):
        rejected += 1
        results.append(Result(index: index, verdict: code))
      }
    }
  }
}

/// The product under test, behind whatever door.
protocol Subject: AnyObject {
  /// The product's clock, in microseconds since 1970.
  var now: Int64 { get }
  /// Sends one batch of lines.
  func send(_ lines: [String]) throws -> BatchAnswer
  /// The HTTP status that tells how the change ended.
  func put(_ change: Change) throws -> Int
  /// The consumption answer as JSON text; nil for an unknown transaction.
  func consumption(_ id: String) throws -> String?
  /// Quantities waiting for a purchase of the customer, by meter.
  func unattributed(_ customer: String) throws -> [String: Exact]
  /// Stops and starts on the same store, without a chance to tidy up when `killing`.
  func restart(killing: Bool) throws
  /// Moves what is in memory into the ledger, where the door allows to ask for it.
  func flush() throws
  /// Merges runs, where the door allows to ask for it.
  func merge() throws
  /// Puts another configuration in force.
  func reload(_ configuration: ReferenceConfiguration) throws
}

/// The product didn't do what the harness needs to go on.
struct SubjectFault: Error, CustomStringConvertible {
  var description: String
}
