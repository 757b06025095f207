/// Amounts of a meter as people write them: `1000000`, `1 h`, `50 GB.mo`.
extension Meter {
  /// Why a text is no amount; a sentence for people.
  struct AmountFault: Error {
    var message: String
  }

  /// The amount in base units, for a level in base units × seconds. A level's amount without a
  /// unit is taken as such only if `allowingBare`.
  func amount(_ text: ByteString, allowingBare: Bool) -> Result<Fraction, AmountFault> {
    let parts = text.bytes.split(
      separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    guard text.count <= Limits.decimalBytes + Limits.nameBytes, let first = parts.first,
      let number = Fraction(decimal: ByteString(first)),
      number.hasDigits(atMost: Limits.amountDigits)
    else { return .failure(AmountFault(message: "must be an amount such as \"\(example)\"")) }
    if number < .zero { return .failure(AmountFault(message: "must not be negative")) }
    if parts.count == 1 {
      if kind == .sum || allowingBare { return .success(number) }
      return .failure(AmountFault(message: "must say over what time, such as \"\(example)\""))
    }
    let unit = ByteString(parts[1])
    guard let factor = kind == .sum ? size(unit) : sizeOverTime(unit) else {
      let message = "\"\(unit.string)\" is no unit of the meter; known are \(knownUnits)"
      return .failure(AmountFault(message: message))
    }
    return .success(number * factor)
  }

  /// How many base units a unit is; nil for an unknown one.
  private func size(_ unit: ByteString) -> Fraction? {
    if unit == self.unit { return .one }
    return units[unit] ?? (measuresBytes ? Self.bytes[unit] : nil)
  }

  /// How many base units × seconds a unit such as `GB.mo` is.
  private func sizeOverTime(_ unit: ByteString) -> Fraction? {
    guard let point = unit.bytes.lastIndex(of: 0x2E),
      let size = size(ByteString(unit.bytes[..<point])),
      let time = Self.seconds[ByteString(unit.bytes[(point + 1)...])]
    else { return nil }
    return size * Fraction(time)
  }

  private var measuresBytes: Bool { unit == "By" || unit == "B" }

  private var example: String {
    kind == .sum ? "1000000" : measuresBytes ? "1 GB.mo" : "1 \(unit.string).mo"
  }

  private var knownUnits: String {
    let own = ([unit] + units.keys.sorted()).map(\.string)
    let sizes = own + (measuresBytes ? ["kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"] : [])
    let text = sizes.joined(separator: ", ")
    return kind == .sum ? text : "\(text), each with .s, .min, .h, .d or .mo"
  }

  /// Powers of 1000 and of 1024, with UCUM's `By` and the customary `B`.
  private static let bytes: [ByteString: Fraction] = {
    var sizes: [ByteString: Fraction] = ["B": .one, "By": .one]
    for (power, prefix) in ["k", "M", "G", "T"].enumerated() {
      let decimal = Fraction(.powerOfTen(3 * (power + 1)))
      let binary = Fraction(1 << (10 * (power + 1)))
      for suffix in ["B", "By"] {
        sizes[ByteString(prefix + suffix)] = decimal
        sizes[ByteString((prefix == "k" ? "K" : prefix) + "i" + suffix)] = binary
      }
    }
    return sizes
  }()

  /// A month is 30 days, as storage is billed.
  private static let seconds: [ByteString: Int] = [
    "s": 1, "min": 60, "h": 3600, "d": 86_400, "mo": 2_592_000,
  ]
}
