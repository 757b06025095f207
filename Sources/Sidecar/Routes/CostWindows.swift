package import Foundation
package import Metering

/// Days or months of one time zone that tile a stretch of time. Days of 23 and 25 hours come out
/// as long as they are.
package struct CostWindows: Equatable, Sendable {
  /// Start of each window, and the end of the last; strictly ascending.
  package let bounds: [Instant]

  /// The whole windows that cover `from`..<`to`. Throws when they are none or too many.
  package init(
    from: CostsQuestion.Bound, to: CostsQuestion.Bound, window: CostsQuestion.Window,
    timeZone: TimeZone
  ) throws(Problem) {
    let days = LocalDays(timeZone: timeZone)
    let (first, last) = (days.instant(of: from), days.instant(of: to))
    guard first < last else {
      throw Problem(status: 400, code: "invalid_range", detail: "from is not before to.")
    }
    var bounds = [days.start(of: window, containing: first)]
    while let start = bounds.last, start < last {
      guard bounds.count <= RouteLimits.costWindows else {
        throw Problem(
          status: 400, code: "invalid_range",
          detail: "More than \(RouteLimits.costWindows) windows; ask for less time or for months.")
      }
      bounds.append(days.end(of: window, startingAt: start))
    }
    self.bounds = bounds
  }

  /// Start of the first window.
  package var start: Instant { bounds[0] }
  /// End of the last window.
  package var end: Instant { bounds[bounds.count - 1] }

  /// The window that holds an instant; nil outside of all.
  package func index(of instant: Instant) -> Int? {
    guard start <= instant, instant < end else { return nil }
    var low = 0
    var high = bounds.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if bounds[middle] <= instant { low = middle } else { high = middle }
    }
    return low
  }
}

/// The calendar days of one zone. Their bounds are whole seconds.
private struct LocalDays {
  private let calendar: Calendar

  init(timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  func instant(of bound: CostsQuestion.Bound) -> Instant {
    switch bound {
    case .instant(let instant): return instant
    case .date(let year, let month, let day):
      // Noon exists on every day of every zone; midnight doesn't.
      let noon = DateComponents(year: year, month: month, day: day, hour: 12)
      guard let date = calendar.date(from: noon) else { return .distantPast }
      return Self.instant(calendar.startOfDay(for: date))
    }
  }

  func start(of window: CostsQuestion.Window, containing instant: Instant) -> Instant {
    let date = Self.date(instant)
    guard window == .month else { return Self.instant(calendar.startOfDay(for: date)) }
    let parts = calendar.dateComponents([.year, .month], from: date)
    return self.instant(of: .date(year: parts.year ?? 1, month: parts.month ?? 1, day: 1))
  }

  /// Steps far enough into the next window, then goes back to its start.
  func end(of window: CostsQuestion.Window, startingAt start: Instant) -> Instant {
    let hour: Int64 = 3_600_000_000
    var inside = start.adding(microseconds: hour * (window == .day ? 26 : 32 * 24))
    while self.start(of: window, containing: inside) <= start {
      inside = inside.adding(microseconds: hour * 24)
    }
    return self.start(of: window, containing: inside)
  }

  /// The second that an instant is in: all of it is in one window.
  private static func date(_ instant: Instant) -> Date {
    let (quotient, remainder) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Date(timeIntervalSince1970: Double(remainder < 0 ? quotient - 1 : quotient))
  }

  private static func instant(_ date: Date) -> Instant {
    Instant(microseconds: Int64(date.timeIntervalSince1970.rounded()) * 1_000_000)
  }
}
