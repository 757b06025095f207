/// Why an event was refused, in the order of the contract. A rejection never burns the id.
package enum RejectionCode: UInt8, CaseIterable, Sendable {
  case invalidJSON
  case duplicateKey
  case unknownField
  case missingId
  case invalidId
  case missingSubject
  case invalidSubject
  case invalidTime
  case timeInFuture
  case tooOld
  case beforeOpening
  case unknownMeter
  case unknownUnit
  case unknownType
  case missingQuantity
  case invalidQuantity
  case negativeQuantity
  case overflow
  case invalidAttributes
  case invalidCost
  case tooLarge
  case voidUnknown
  /// Beside the contract's.
  case tooManySources

  /// The code as replies and metrics spell it.
  package var name: String {
    switch self {
    case .invalidJSON: "invalid_json"
    case .duplicateKey: "duplicate_key"
    case .unknownField: "unknown_field"
    case .missingId: "missing_id"
    case .invalidId: "invalid_id"
    case .missingSubject: "missing_subject"
    case .invalidSubject: "invalid_subject"
    case .invalidTime: "invalid_time"
    case .timeInFuture: "time_in_future"
    case .tooOld: "too_old"
    case .beforeOpening: "before_opening"
    case .unknownMeter: "unknown_meter"
    case .unknownUnit: "unknown_unit"
    case .unknownType: "unknown_type"
    case .missingQuantity: "missing_quantity"
    case .invalidQuantity: "invalid_quantity"
    case .negativeQuantity: "negative_quantity"
    case .overflow: "overflow"
    case .invalidAttributes: "invalid_attributes"
    case .invalidCost: "invalid_cost"
    case .tooLarge: "too_large"
    case .voidUnknown: "void_unknown"
    case .tooManySources: "too_many_sources"
    }
  }

  /// What the code means, for people, where nothing more is known of the event.
  package var sentence: String {
    switch self {
    case .unknownMeter: "no meter of this name is configured"
    case .unknownUnit: "the meter has no such unit"
    case .tooOld: "the event's time is older than the dedupe window"
    case .timeInFuture: "the event's time is more than five minutes ahead"
    case .beforeOpening: "the event's time is before the purchase's opening balance"
    case .voidUnknown: "there is no such event to take back"
    case .overflow: "a total would not fit"
    case .tooLarge: "an event is longer than 64 KiB"
    case .tooManySources:
      "\(Limits.markedSources) sources send marks; retire those that are no more"
    default: name
    }
  }
}
