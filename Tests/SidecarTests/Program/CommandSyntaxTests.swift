import Sidecar
import Testing

struct CommandSyntaxTests {
  private static let syntax = CommandSyntax(
    "example", "does something", operands: ["FILE", "[OTHER]"],
    options: [
      OptionSyntax("--socket", "PATH", "a path"), OptionSyntax("--count", "N", "a number"),
      OptionSyntax("--json", nil, "a switch"),
    ])

  @Test(
    arguments: [
      (["--socket", "/a", "f", "--json"], ["f"], "/a"),
      (["f", "--socket=/a=b"], ["f"], "/a=b"),
      (["--", "--socket"], ["--socket"], nil),
      (["-", "g"], ["-", "g"], nil),
    ] as [([String], [String], String?)])
  func takesApart(words: [String], operands: [String], socket: String?) throws {
    let parsed = try Self.syntax.parse(words)
    #expect(parsed.operands == operands)
    #expect(parsed.text("--socket") == socket)
  }

  @Test(
    arguments: [
      ([], "FILE is missing"),
      (["a", "b", "c"], "unexpected 'c'"),
      (["a", "--sock", "b"], "unknown option --sock"),
      (["a", "-x"], "unknown option -x"),
      (["a", "--socket"], "--socket needs a value"),
      (["a", "--json=1"], "--json takes no value"),
    ] as [([String], String)])
  func refuses(words: [String], message: String) {
    #expect(throws: UsageFault(message)) { try Self.syntax.parse(words) }
  }

  @Test(arguments: ["0", "11", "x", "1.5", ""])
  func refusesNumbers(text: String) throws {
    let parsed = try Self.syntax.parse(["f", "--count", text])
    #expect(throws: UsageFault("--count needs a whole number from 1 to 10")) {
      try parsed.number("--count", in: 1...10)
    }
  }

  @Test func helpIsComplete() throws {
    #expect(try Self.syntax.parse(["--help", "--unknown"]).wantsHelp)
    #expect(
      Self.syntax.help == """
        does something

        usage: outlay example [options] FILE [OTHER]

          --socket PATH  a path
          --count N      a number
          --json         a switch
          --help         print this

        """)
  }
}
