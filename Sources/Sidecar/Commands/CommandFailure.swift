/// A reason for which a subcommand ends with exit code 1.
package struct CommandFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line for people.
  package var description: String

  /// A failure.
  package init(_ description: String) {
    self.description = description
  }
}
