/// One thing wrong with a configuration.
package struct ConfigurationFault: Error, Equatable, Sendable {
  /// Such as `prices[2].per`; empty for a syntax fault; the variable's name for an override.
  package var path: String
  /// Line in the file, from 1; 0 for what isn't in the file.
  package var line: Int
  /// Column in characters, from 1; 0 for what isn't in the file.
  package var column: Int
  /// A sentence for people.
  package var message: String

  /// A fault at a place.
  package init(path: String, line: Int, column: Int, message: String) {
    self.path = path
    self.line = line
    self.column = column
    self.message = message
  }
}

extension ConfigurationFault: CustomStringConvertible {
  /// `12:5: prices[2].per: the message`.
  package var description: String {
    let place = line > 0 ? "\(line):\(column): " : ""
    return place + (path.isEmpty ? "" : path + ": ") + message
  }
}

/// Everything wrong with a configuration, in the order of the file.
package struct ConfigurationFaults: Error, Equatable, Sendable {
  /// At least one.
  package var faults: [ConfigurationFault]

  /// Sorts by place.
  package init(_ faults: [ConfigurationFault]) {
    self.faults = faults.sorted {
      ($0.line, $0.column, $0.path, $0.message) < ($1.line, $1.column, $1.path, $1.message)
    }
  }
}

extension ConfigurationFaults: CustomStringConvertible {
  /// One line for each fault.
  package var description: String { faults.map(\.description).joined(separator: "\n") }
}
