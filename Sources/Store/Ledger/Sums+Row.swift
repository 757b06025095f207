import Metering

extension Ledger {

}

extension Sums {
  /// Sums of a row whose columns q, amount, n, first, last begin at `column`.
  init(row: Statement, from column: Int32) {
    self.init()
    quantity = WideBlob.value(row.blob(column))
    amount = WideBlob.value(row.blob(column + 1))
    count = row.integer(column + 2)
    first = row.integer(column + 3)
    last = row.integer(column + 4)
  }
}
