/// A command line, taken apart.
package struct CommandArguments: Equatable, Sendable {
  /// What isn't an option, in order.
  package var operands: [String] = []
  /// True after `--help`; the rest is then unchecked.
  package var wantsHelp = false
  var values: [String: String] = [:]

  /// No arguments.
  package init() {}

  /// Whether the option was given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// The option's value; nil when it wasn't given.
  package func text(_ name: String) -> String? { values[name] }

  /// The option's value as a whole number within a range; nil when it wasn't given.
  package func number(_ name: String, in range: ClosedRange<Int>) throws(UsageFault) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
      throw UsageFault(
        "\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

/// A command line that can't be obeyed.
package struct UsageFault: Error, Equatable, Sendable {
  /// What is wrong, without the program's name.
  package var message: String

  /// A fault.
  package init(_ message: String) {
    self.message = message
  }
}
