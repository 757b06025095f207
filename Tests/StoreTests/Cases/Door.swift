/// The ways in that every case goes through.
enum Door: CaseIterable {
  /// The reference itself: the cases are worked by hand, so they judge it too.
  case reference
  /// The store in this process.
  case books
  /// The built binary over its socket.
  case process

  /// Doors that this run can use.
  static var open: [Door] { allCases.filter(\.isOpen) }

  var isOpen: Bool {
    switch self {
    case .reference, .books: true
    case .process: Chance.variable("OUTLAY_BINARY") != nil
    }
  }

  /// A fresh product behind this door.
  func subject(_ configuration: ReferenceConfiguration) throws -> any Subject {
    switch self {
    case .reference:
      ReferenceSubject(configuration, now: Calendar.instant(2026, 11, 30, 2, 30))
    case .books: try BooksSubject(configuration, now: Calendar.instant(2026, 11, 30, 2, 30))
    case .process: try ProcessSubject(configuration)
    }
  }
}

extension Subject {
  /// Reads one transaction's answer.
  func figures(_ id: String) throws -> Figures {
    guard let text = try consumption(id), let answer = TinyJSON(text) else {
      throw SubjectFault(description: "nothing is known of \(id)")
    }
    return Figures(answer: answer)
  }

  /// Sends events each in a batch of its own.
  func send(each events: [ReferenceEvent]) throws -> [BatchAnswer] {
    try events.map { try send([$0.line()]) }
  }
}
