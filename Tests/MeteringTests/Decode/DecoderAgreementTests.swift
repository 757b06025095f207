import Metering
import Testing

/// A small generator with a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Writes random events, mostly in order, in random spelling.
struct EventGenerator {
  var random: SeededGenerator

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick(_ texts: [String]) -> String {
    texts[Int.random(in: 0..<texts.count, using: &random)]
  }

  mutating func blank() -> String { chance(15) ? pick([" ", "\t", "\r\n", "  \n "]) : "" }

  /// A JSON string of some scalars, each plain or escaped at random.
  mutating func string() -> String {
    let scalars = ["a", "b", "Z", "0", "-", " ", "é", "中", "😀", "/", "\u{301}"]
    let count = chance(2) ? 256 : Int.random(in: chance(5) ? 0...0 : 1...20, using: &random)
    var text = "\""
    let isOdd = chance(30)
    for _ in 0..<count {
      let scalar = isOdd ? pick(scalars) : pick(["a", "b", "c", "1", "_", "-"])
      text += isOdd && chance(30) ? escaped(scalar) : scalar
    }
    if isOdd, chance(2) {
      text += pick([#"\n"#, #"\""#, #"\\"#, #"\u0000"#, #"\ud800"#, #"\x"#, "\u{7F}", "\u{85}"])
    }
    return text + "\""
  }

  private func escaped(_ scalar: String) -> String {
    if scalar == "/" { return #"\/"# }
    return scalar.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  mutating func number() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      pick(["0", "-0", "1e3", "1E-9", "0.1", "1.50", "1e18", "1e-10"])
    case 1: String(Int.random(in: 0...999_999_999, using: &random)) + ".5"
    case 2 where chance(5): pick(["00", "1.", "1e", ".5", "-1"])
    case 2: "0." + String(UInt64.random(in: 0 ... .max, using: &random))
    case 3: String(UInt64.random(in: 0 ... .max, using: &random))
    default: String(Int.random(in: 0...100_000, using: &random))
    }
  }

  mutating func object(_ fields: [String]) -> String {
    var fields = fields
    if chance(50) { fields.shuffle(using: &random) }
    if chance(1), let first = fields.first { fields.append(first) }
    return "{" + fields.map { blank() + $0 + blank() }.joined(separator: ",") + "}"
  }

  mutating func field(_ name: String, _ value: String) -> String {
    let key =
      chance(1) ? name.dropLast() + #"\u"# + "00" + String(name.utf8.last ?? 0, radix: 16) : name
    return "\"\(key)\"" + blank() + ":" + blank()
      + (chance(15) && chance(5) ? pick(["null", "true", "[]", "{}", "7"]) : value)
  }

  mutating func reading() -> [String] {
    var fields = [field("meter", string())]
    fields.append(field("quantity", chance(30) ? "\"" + number() + "\"" : number()))
    if chance(60) {
      let count = Int.random(in: 0...(chance(5) ? 17 : 4), using: &random)
      var attributes: [String] = []
      for _ in 0..<count {
        let value = chance(70) ? string() : chance(50) ? number() : pick(["true", "false", "null"])
        attributes.append(string() + blank() + ":" + blank() + value)
      }
      fields.append(field("attributes", object(attributes)))
    }
    if chance(20) { fields.append(field("unit", string())) }
    if chance(20) {
      let amount = chance(50) ? "\"" + number() + "\"" : number()
      fields.append(
        field(
          "cost",
          object([
            field("amount", amount),
            field("currency", pick(chance(10) ? ["\"eur\"", "\"EURO\""] : ["\"USD\""])),
          ])))
    }
    return fields
  }

  mutating func event() -> String {
    var fields: [String] = []
    if chance(98) { fields.append(field("id", string())) }
    if chance(60) { fields.append(field("source", string())) }
    if chance(70) {
      fields.append(
        field(
          "time",
          pick([
            "\"2026-11-30T02:21:39.123Z\"", "\"2026-02-28T23:59:59.123456789+05:30\"",
            "\"2024-02-29t00:00:00-00:00\"",
          ])))
    }
    if chance(60) { fields.append(field("transactionId", string())) }
    if chance(40) { fields.append(field("originalTransactionId", string())) }
    if chance(60) { fields.append(field("customer", string())) }
    if chance(30) {
      let readings = (0..<Int.random(in: 1...3, using: &random)).map { _ in object(reading()) }
      fields.append(field("usage", "[" + readings.joined(separator: blank() + ",") + blank() + "]"))
    } else {
      fields += reading()
    }
    if chance(1) { fields.append(field("extra", "1")) }
    return blank() + object(fields) + blank()
  }
}

@Suite struct DecoderAgreementTests {
  /// The fast way and the careful way say the same of every event, and of damaged ones.
  @Test(arguments: [UInt64(1), 2, 3, 4]) func fastIsCareful(_ seed: UInt64) {
    var generator = EventGenerator(random: SeededGenerator(state: seed))
    var differing: [String] = []
    var good = 0
    for _ in 0..<600 {
      var line = Array(generator.event().utf8)
      if generator.chance(15), !line.isEmpty {
        let place = Int.random(in: 0..<line.count, using: &generator.random)
        if generator.chance(50) {
          line[place] = UInt8.random(in: 0...255, using: &generator.random)
        } else {
          line.removeSubrange(place...)
        }
      }
      let fast = DecodedText.decode(line)
      if fast != DecodedText.decode(line, isAlwaysCareful: true) {
        differing.append(String(decoding: line, as: UTF8.self))
      }
      if fast.verdict == "ok" { good += 1 }
    }
    #expect(differing == [])
    #expect(good > 200)
  }
}
