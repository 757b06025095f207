/// What later sections know about the meters.
struct KnownMeters {
  /// Meters without faults.
  var meters: [ByteString: Meter] = [:]
  /// Names of all: what hangs on a faulty meter isn't a fault as well.
  var names: Set<ByteString> = []
}

extension ConfigurationReader {
  mutating func meters(_ place: ConfigurationPlace?) -> KnownMeters {
    var known = KnownMeters()
    guard let place, let members = members(place) else { return known }
    for (name, value) in members {
      known.names.insert(name)
      let before = faults.count
      let meter = meter(name, value)
      if faults.count == before, let meter { known.meters[name] = meter }
    }
    return known
  }

  private mutating func meter(_ name: ByteString, _ place: ConfigurationPlace) -> Meter? {
    _ = isName(name, place)
    guard let object = object(place, keys: ["unit", "kind", "attributes", "units"]) else {
      return nil
    }
    let kind = choice(object["kind"], of: ["sum", "level"])
    let attributes = attributes(object["attributes"])
    guard let unit = self.name(required("unit", in: object)) else { return nil }
    return Meter(
      name: name, unit: unit, kind: kind == "level" ? .level : .sum, attributes: attributes,
      units: units(object["units"], base: unit))
  }

  private mutating func attributes(_ place: ConfigurationPlace?) -> [ByteString] {
    guard let place, let elements = list(place) else { return [] }
    if elements.count > Limits.attributesPerReading {
      fault(place, "must be at most \(Limits.attributesPerReading)")
    }
    var attributes: [ByteString] = []
    for element in elements {
      guard let attribute = name(element) else { continue }
      if attributes.contains(attribute) { fault(element, "appears twice") }
      attributes.append(attribute)
    }
    return attributes
  }

  private mutating func units(
    _ place: ConfigurationPlace?, base: ByteString
  ) -> [ByteString: Fraction] {
    guard let place, let members = members(place) else { return [:] }
    var units: [ByteString: Fraction] = [:]
    for (unit, value) in members {
      guard isName(unit, value) else { continue }
      if unit == base {
        fault(value, "is the base unit, whose factor is 1")
      } else if let factor = decimal(value, .aboveZero) {
        units[unit] = factor.value
      }
    }
    return units
  }

  /// The meter that a name stands for; nil, without a fault, for one that has its own.
  mutating func meter(
    named name: ByteString, _ place: ConfigurationPlace, in known: KnownMeters
  ) -> Meter? {
    if !known.names.contains(name) { fault(place, "there is no meter \"\(name.string)\"") }
    return known.meters[name]
  }

  /// An amount of a meter, with its text.
  mutating func amount(
    _ place: ConfigurationPlace?, of meter: Meter, allowingBare: Bool
  ) -> (value: Fraction, text: String)? {
    guard let place else { return nil }
    guard let text = place.node.string ?? place.node.number else {
      mismatch(place, expected: "an amount such as \"1000000\"")
      return nil
    }
    switch meter.amount(text, allowingBare: allowingBare) {
    case .success(let value): return (value, text.string)
    case .failure(let failure):
      fault(place, failure.message)
      return nil
    }
  }
}
