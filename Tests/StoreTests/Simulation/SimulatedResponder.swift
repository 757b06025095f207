import AppStore
import Metering
import Sidecar

/// One of several `outlay respond`: what it plans with is the product's, what it does next is done
/// one call at a time, so that anything may happen between two.
struct SimulatedResponder {
  /// How far it is with a case.
  enum Stage {
    case idle
    case claimed(OpenCase, RetryPlan.Variant)
    case ready(OpenCase, ConsumptionBody)
    case reporting(CaseID, CaseReport)
  }

  let number: Int
  var desk = CaseDesk(fills: false)
  var stage = Stage.idle

  init(number: Int) { self.number = number }

  var name: ByteString { ByteString("responder-\(number)") }

  /// The case that it is about to answer, or has.
  var caseInHand: String? {
    switch stage {
    case .idle: nil
    case .claimed(let one, _), .ready(let one, _): one.id.string
    case .reporting(let id, _): id.text.string
    }
  }
}

/// Apple's side of the answers: what it took, and how often it may have been told twice.
struct SimulatedAppStore {
  private var taken: [String: Int] = [:]
  /// Answers of which their sender couldn't know that Apple took them.
  private var doubts: [String: Int] = [:]

  /// Somebody may send again what was sent.
  mutating func doubt(_ id: String?) {
    if let id { doubts[id, default: 0] += 1 }
  }

  /// Takes an answer to a case, or refuses it, or the answer to it is lost.
  mutating func take(
    _ id: String, at now: Instant, _ seed: inout Seed
  ) -> (outcome: RetryPlan.Outcome, status: Int?) {
    func refusal(_ status: Int, _ body: String = "", after: String? = nil) -> RetryPlan.Outcome {
      .refused(APIRefusal(status: status, body: Array(body.utf8), retryAfter: after))
    }
    switch seed.below(20) {
    case ..<10:
      taken[id, default: 0] += 1
      return (.accepted, 202)
    case ..<12:
      // Taken, but nobody hears of it.
      taken[id, default: 0] += 1
      doubt(id)
      return (.unreachable, nil)
    case ..<14: return (.unreachable, nil)
    case ..<16:
      let until = now.microseconds / 1000 + Int64(seed.below(4_000_000))
      return (refusal(429, after: "\(until)"), 429)
    case ..<18: return (refusal(seed.pick([500, 503])), 500)
    case 18: return (refusal(401), 401)
    default:
      return (refusal(400, "{\"errorCode\":4000035,\"errorMessage\":\"no\"}"), 400)
    }
  }

  /// Cases that were answered more often than anybody was in doubt.
  var answeredTwice: [String] {
    taken.filter { $0.value > 1 + (doubts[$0.key] ?? 0) }.keys.sorted()
  }
}
