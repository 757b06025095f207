/// Under which product and environment money and usage are summed.
package struct Label: Hashable, Sendable {
  package var product: ByteString
  package var environment: ByteString

  /// Usage whose purchase isn't known yet.
  package static let early = Label(product: "", environment: "unknown")

  package init(product: ByteString, environment: ByteString) {
    self.product = product
    self.environment = environment
  }

  /// What stands for every product that the configuration doesn't name.
  package static let otherProduct: ByteString = "_other"

  /// Under what the totals hold it: products that the configuration doesn't name are one.
  package func inTotals(_ configuration: Configuration) -> Label {
    isOther(in: configuration)
      ? Label(product: Self.otherProduct, environment: environment) : self
  }

  /// Whether it is a product that the configuration doesn't name.
  func isOther(in configuration: Configuration) -> Bool {
    !product.isEmpty && configuration.products[product] == nil
  }
}
