/// Why a payload can't be a purchase: 422 `invalid_purchase`.
package struct PurchaseFault: Error, Equatable, Sendable {
  /// The stable code of the answer.
  package static let code = "invalid_purchase"
  /// A sentence for people; it names the field, never its content.
  package var detail: String

  /// Makes a fault with a sentence for people.
  package init(_ detail: String) {
    self.detail = detail
  }
}
