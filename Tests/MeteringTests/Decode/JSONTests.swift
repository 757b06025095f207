import Metering
import Testing

@Suite struct JSONTests {
  /// A node as JSON again, so that tables stay readable.
  static func print(_ node: JSONNode, into writer: inout JSONWriter) {
    switch node.value {
    case .null: writer.null()
    case .bool(let flag): writer.bool(flag)
    case .number(let text): writer.number(text.string)
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { print(element, into: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        print(member.node, into: &writer)
      }
      writer.endObject()
    }
  }

  static func reprint(_ text: String, _ dialect: JSONDialect) -> String {
    do throws(JSONFault) {
      let node = try JSONNode.parse(Array(text.utf8), dialect: dialect)
      var writer = JSONWriter()
      print(node, into: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    } catch {
      return "\(error.kind) \(error.line):\(error.column)"
    }
  }

  static let strict: [(String, String)] = [
    (#" {"a" : [1, -0.5e+3 , true,false,null] }"#, #"{"a":[1,-0.5e+3,true,false,null]}"#),
    (#""\u0041\ud83d\ude00\/\n\"\\""#, #""A😀/\n\"\\""#),
    ("[]", "[]"), ("{}", "{}"),
    ("", "malformed 1:1"), ("[1,]", "malformed 1:4"), ("{\"a\":1,}", "malformed 1:8"),
    ("[1 2]", "malformed 1:4"), ("01", "malformed 1:3"), ("[\n  -]", "malformed 2:4"),
    ("1.", "malformed 1:3"), (".5", "malformed 1:1"), ("+1", "malformed 1:1"),
    ("nul", "malformed 1:1"), ("nulll", "malformed 1:1"), ("1 2", "malformed 1:3"),
    ("\"\\x41\"", "malformed 1:2"), ("\"\t\"", "malformed 1:2"), ("\"\\ud800\"", "malformed 1:2"),
    ("\"\\udc00\"", "malformed 1:2"), ("\"é", "malformed 1:3"), ("'a'", "malformed 1:1"),
    ("{a:1}", "malformed 1:2"), ("// x\n1", "malformed 1:1"), ("\u{FEFF}1", "malformed 1:1"),
    (#"{"a":1,"b":2,"\u0061":3}"#, "duplicateKey 1:14"), (#"{"a":1,"a":2"#, "malformed 1:13"),
    (#"[{"a":{"x":1,"x":2}},{}]"#, "duplicateKey 1:14"), ("NaN", "malformed 1:1"),
  ]

  @Test(arguments: strict) func readsStrictly(_ text: String, _ expected: String) {
    #expect(Self.reprint(text, .strict) == expected)
  }

  static let json5: [(String, String)] = [
    (
      "{a: +1, $b_2: .5, 'c': 5., /* x */ \"d\": 0xFF, } // end",
      #"{"a":1,"$b_2":0.5,"c":5,"d":255}"#
    ),
    ("['it\\'s', \"x\\\ny\", '\\x41\\v\\0', '\"',]", #"["it's","xy","A\u000b\u0000","\""]"#),
    ("\u{FEFF}-.25e1", "-0.25e1"), ("\u{A0}[\u{2028}1]", "[1]"), ("-0x10", "-16"),
    ("Infinity", "malformed 1:1"), ("[-NaN]", "malformed 1:3"), ("[,]", "malformed 1:2"),
    ("{,}", "malformed 1:2"), ("/* x", "malformed 1:1"), ("'a\nb'", "malformed 1:3"),
    ("0x", "malformed 1:3"), ("0x1G", "malformed 1:4"), ("010", "malformed 1:4"),
    (".", "malformed 1:2"),
    ("{\n a: 1,\n  a: 2 }", "duplicateKey 3:3"), ("{1a:1}", "malformed 1:2"),
  ]

  @Test(arguments: json5) func readsJSON5(_ text: String, _ expected: String) {
    #expect(Self.reprint(text, .json5) == expected)
  }

  @Test func membersAreBoundedInWhatPeersSend() {
    func object(_ members: Int) -> String {
      "{" + (0..<members).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    }
    #expect(Self.reprint(object(Limits.jsonMembers), .strict) == object(Limits.jsonMembers))
    let larger = object(Limits.jsonMembers + 1)
    #expect(Self.reprint(larger, .strict).hasPrefix("tooMany 1:"))
    #expect(Self.reprint(larger, .json5) == larger)
    // The same key again and again isn't looked up in ever more.
    let same = "{" + String(repeating: "\"a\":1,", count: Limits.jsonMembers) + "\"a\":1}"
    #expect(Self.reprint(same, .strict).hasPrefix("tooMany 1:"))
  }

  @Test func aByteOrderMarkIsNamed() {
    var message = ""
    do throws(JSONFault) {
      _ = try JSONNode.parse(Array("\u{FEFF}{}".utf8), dialect: .strict)
    } catch {
      message = error.message
    }
    #expect(message.contains("byte order mark"))
  }

  @Test(arguments: [JSONDialect.strict, .json5]) func depthIsBounded(_ dialect: JSONDialect) {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(Self.reprint(nested(Limits.jsonDepth), dialect) == nested(Limits.jsonDepth))
    #expect(Self.reprint(nested(Limits.jsonDepth + 1), dialect).hasPrefix("tooDeep"))
    #expect(Self.reprint(String(repeating: "[", count: 1 << 20), dialect).hasPrefix("tooDeep"))
  }

  /// Every sequence of up to 4 bytes near the borders of UTF-8, against Swift's own validation.
  @Test func utf8IsThatOfUnicode() {
    let borders: [UInt8] = [
      0x24, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
      0xED,
      0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var wrong: [[UInt8]] = []
    for first in borders {
      for second in borders {
        for third in borders {
          for fourth: UInt8 in [0x24, 0x80, 0xBF, 0xC2] {
            let text = [first, second, third, fourth]
            let isValid = String(validating: text, as: UTF8.self) != nil
            let node = try? JSONNode.parse([0x22] + text + [0x22], dialect: .strict)
            if (node?.string?.bytes == text) != isValid { wrong.append(text) }
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func lookups() throws {
    let node = try JSONNode.parse(
      Array(#"{"n":12,"x":1e3,"y":1.0,"s":"t","b":true,"z":null,"a":[1]}"#.utf8), dialect: .strict)
    #expect(node["n"]?.integer == 12 && node["x"]?.integer == nil && node["y"]?.integer == nil)
    #expect(node["s"]?.string == "t" && node["b"]?.bool == true && node["z"]?.isNull == true)
    #expect(node["a"]?.elements?.count == 1 && node["q"] == nil && node.members?.count == 7)
  }
}
