/// One option of a subcommand.
package struct OptionSyntax: Sendable {
  /// Its name, such as "--socket".
  package var name: String
  /// What stands for its value in the help; nil for an option without value.
  package var value: String?
  /// One line for the help.
  package var help: String

  /// An option; without `value` it is on or off.
  package init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }
}
