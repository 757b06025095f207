import Testing

@testable import Metering

@Suite struct NumberTableTests {
  /// Many keys, most of them with equal lower hash bits, keep their numbers through growth; an
  /// emptied table has none of them.
  @Test func numbersStay() {
    var table = NumberTable<Hash128>()
    for round in 0..<3 {
      let keys = (0..<300).map { Hash128(high: UInt64($0), low: UInt64($0 % 7) << 40) }
      for (number, key) in keys.enumerated() {
        #expect(table[key] == nil)
        table[key] = number * 3 + round
      }
      #expect(table.count == keys.count)
      for (number, key) in keys.enumerated() { #expect(table[key] == number * 3 + round) }
      #expect(table[Hash128(high: 300, low: 0)] == nil)
      table.removeAll()
      #expect(table.count == 0)
      for key in keys { #expect(table[key] == nil) }
    }
  }

  @Test func bookingsAreToldApart() {
    var table = NumberTable<BookingKey>()
    let values: [Int32] = [-1, 0, 1, 4_095, 1 << 20, .max, .min]
    var number = 0
    for shape in values {
      for epoch in values {
        for label in values {
          let key = BookingKey(shape: shape, epoch: epoch, label: label)
          #expect(table[key] == nil)
          table[key] = number
          #expect(table[key] == number)
          number += 1
        }
      }
    }
    #expect(table.count == number)
  }
}
