import Metering

extension FuzzTarget {
  /// JSON: what is written from a text's nodes is the same text to a reader, strict JSON is JSON5,
  /// and a fault has a place within the text.
  static let json = FuzzTarget(
    name: "json", goal: "json5",
    words: [
      "null", "true", "false", "[", "]", "{", "}", ":", ",", "\"", "'", "\\u0000", "\\ud83d\\ude00",
      "//", "/*", "*/", "0x7fffffffffffffff", "1e400", "-0", ".5", "5.", "+1", "Infinity", "NaN",
      "\u{FEFF}", "\u{2028}", "\\x41", "\\\n", "\"a\":1,\"a\":2",
    ],
    seeds: {
      [
        #" {"a" : [1, -0.5e+3 , true,false,null] }"#, #""\u0041\ud83d\ude00\/\n\"\\""#,
        "{a: +1, $b_2: .5, 'c': 5., /* x */ \"d\": 0xFF, } // end",
        "['it\\'s', \"x\\\ny\", '\\x41\\v\\0', '\"',]", "\u{FEFF}-.25e1", "\u{A0}[\u{2028}1]",
        #"{"a":1,"b":2,"\u0061":3}"#, "[[[[[[[[{}]]]]]]]]",
      ].map { Array(text: $0) }
    }
  ) { input, run in
    let strict = written(input, .strict, run)
    let json5 = written(input, .json5, run)
    if let strict {
      run.reach("strict")
      run.agree(json5, strict, "strict JSON read as JSON5")
    }
    guard let json5 else { return }
    run.reach("json5")
    let twin = run.takesTwin ? json5 + [0x5D] : json5
    let again = twin.withUnsafeBytes { written($0, .strict, run) }
    run.agree(again, json5, "JSON written and read again")
  }

  /// The text's nodes as strict JSON; nil for a fault.
  private static func written(
    _ text: UnsafeRawBufferPointer, _ dialect: JSONDialect, _ run: FuzzRun
  ) -> [UInt8]? {
    do throws(JSONFault) {
      let node = try JSONNode.parse(text, dialect: dialect)
      var writer = JSONWriter()
      writer.copy(node)
      return writer.bytes
    } catch {
      run.require(
        (1...text.count + 1).contains(error.line) && (1...text.count + 1).contains(error.column),
        "a fault at line \(error.line), column \(error.column)")
      return nil
    }
  }
}
