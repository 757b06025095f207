/// The kinds of facts in a journal frame. Numbers are on disk: never reuse one.
enum FactTag: UInt8 {
  /// Names a series for the rest of the frame.
  case series = 1
  /// Names a booking (series, price epoch, label, rate) for the rest of the frame.
  case booking = 2
  /// One accepted event whose readings all go to one place.
  case usage = 3
  /// One accepted event whose readings, or parts of them, go to several purchases.
  case split = 4
  /// An event taken back.
  case void = 5
  /// A source's `completeThrough`.
  case mark = 6
  /// Everything known about a transaction, replacing what was known.
  case record = 7
  /// A chain's customer.
  case link = 8
  /// A customer's consent.
  case consent = 9
  /// An event kept for replay.
  case quarantine = 10
  /// A kept event that was replayed or dropped.
  case release = 11
  /// Quarter-hours of one transaction move to another label.
  case relabel = 12
  /// An event's readings go elsewhere than before.
  case rebook = 13
  /// Rejections by code, which leave no other trace.
  case rejections = 14
  /// Something that is left to do once the commit is applied, or done.
  case followUp = 15
  /// A server notification that was taken in.
  case notification = 16
  /// An opening balance that is added or taken back.
  case opening = 17
  /// Something that has other figures now, though no other fact names it.
  case touch = 18
}

/// What a frame-local booking number stands for.
struct Booking: Hashable {
  var series: Int
  var isLevel: Bool
  /// Start of the price epoch, microseconds; `Int64.min` for the first.
  var epoch: Int64
  var label: Label
  var unit: ByteString
  /// `price|per|currency` of the rate at booking; empty when there is none.
  var rate: ByteString
  /// Whether the meter has rates at all, so that no rate means unpriced.
  var isPriced: Bool
  /// Whether the configuration names no such product, so that the totals, which are few, hold it
  /// with all others of the kind.
  var isOther = false

  // On disk.
  static let level: UInt8 = 1
  static let priced: UInt8 = 2
  static let other: UInt8 = 4
}

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

/// A place in the journal: the frame's address and the event's number inside the frame.
package struct Location: Hashable, Sendable {
  /// Address in the upper 52 bits, number in the lower 12.
  package var raw: UInt64

  /// Packs an address and a number; a frame of 64 KiB holds fewer than 4,096 events.
  package init(address: UInt64, number: Int) {
    precondition(number < 4096 && address < 1 << 52)
    raw = address << 12 | UInt64(number)
  }

  /// The same for numbers that nobody has checked; nil where they are too large.
  package init?(ifAt address: UInt64, number: Int) {
    guard number < 4096 && address < 1 << 52 else { return nil }
    self.init(address: address, number: number)
  }

  /// Takes a packed location back from a run's record.
  package init(raw: UInt64) { self.raw = raw }

  /// Address of the frame in the journal.
  package var address: UInt64 { raw >> 12 }
  /// Number of the event among the events of its frame.
  package var number: Int { Int(raw & 0xFFF) }
}
