/// What a subcommand takes: the source of its help and of the check of its arguments.
package struct CommandSyntax: Sendable {
  /// The subcommand, such as "send".
  package var name: String
  /// What it does, one line.
  package var summary: String
  /// Names of what follows the options; those in square brackets may be left out.
  package var operands: [String]
  /// Its options, `--help` apart.
  package var options: [OptionSyntax]
  /// Further lines of its help.
  package var notes: [String]

  /// A subcommand's syntax.
  package init(
    _ name: String, _ summary: String, operands: [String] = [], options: [OptionSyntax] = [],
    notes: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.notes = notes
  }

  /// The help that `--help` prints, with a newline at its end.
  package var help: String {
    var text = "\(summary)\n\nusage: outlay \(name)"
    if !options.isEmpty { text += " [options]" }
    for operand in operands { text += " \(operand)" }
    text += "\n"
    var rows = options.map { ($0.name + ($0.value.map { " \($0)" } ?? ""), $0.help) }
    rows.append(("--help", "print this"))
    let width = rows.map(\.0.count).max() ?? 0
    text += "\n"
    for (left, right) in rows {
      text += "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)\n"
    }
    if !notes.isEmpty { text += "\n" + notes.joined(separator: "\n") + "\n" }
    return text
  }

  /// Splits a command line without the subcommand's name. Options and operands may be mixed, an
  /// option's value follows it or an equals sign, and after `--` nothing is an option.
  package func parse(_ words: [String]) throws(UsageFault) -> CommandArguments {
    var parsed = CommandArguments()
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        parsed.operands += words[index...]
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        parsed.operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if name == "--help" || name == "-h" {
        parsed.wantsHelp = true
        return parsed
      }
      guard let option = options.first(where: { $0.name == name }) else {
        throw UsageFault("unknown option \(name)")
      }
      let inline = parts.count == 2 ? String(parts[1]) : nil
      if option.value == nil {
        guard inline == nil else { throw UsageFault("\(name) takes no value") }
        parsed.values[name] = ""
      } else if let inline {
        parsed.values[name] = inline
      } else {
        guard index < words.count else { throw UsageFault("\(name) needs a value") }
        parsed.values[name] = words[index]
        index += 1
      }
    }
    try checkOperands(parsed.operands)
    return parsed
  }

  private func checkOperands(_ given: [String]) throws(UsageFault) {
    if given.count > operands.count { throw UsageFault("unexpected '\(given[operands.count])'") }
    if given.count < operands.count, let first = operands[given.count...].first,
      !first.hasPrefix("[")
    {
      throw UsageFault("\(first) is missing")
    }
  }
}
