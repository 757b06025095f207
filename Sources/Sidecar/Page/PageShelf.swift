package import Wire

/// The page as it was last made. Making one sums two weeks of quarter-hours, so that all who ask
/// within a few seconds are shown the same one, however many they are.
package struct PageShelf {
  private var page: HTTPResponse?
  private var madeAt: UInt64 = 0

  /// Nothing lies on it yet.
  package init() {}

  /// The page that lies there, or one made now when that is too old; `now` is monotonic, in
  /// nanoseconds. What isn't a page, such as a fault of the store, is told but not kept.
  package mutating func page(at now: UInt64, make: () -> HTTPResponse) -> HTTPResponse {
    if let page, now >= madeAt, now - madeAt < Self.freshNanoseconds { return page }
    let made = make()
    page = made.status == 200 ? made : nil
    madeAt = now
    return made
  }

  /// Forgets the page: what comes next is made anew.
  package mutating func clear() { page = nil }

  /// How long a page is shown: well within the seconds that the figures on it may lag.
  package static let freshNanoseconds: UInt64 = 5_000_000_000
}
