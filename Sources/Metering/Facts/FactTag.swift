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
  case change = 18
}
