/// A rate with its place, for faults between rates.
private struct PlacedRate {
  var place: ConfigurationPlace
  var rate: Rate

  /// The place of a key if the file has it, else of the entry.
  func place(of key: String) -> ConfigurationPlace {
    guard let node = place.node[key] else { return place }
    return ConfigurationPlace(path: place.path(of: ByteString(key)), node: node)
  }
}

extension ConfigurationReader {
  mutating func prices(_ place: ConfigurationPlace?, _ known: KnownMeters) -> [Rate] {
    guard let place, let elements = list(place) else { return [] }
    var placed: [PlacedRate] = []
    for element in elements {
      if let rate = price(element, known) { placed.append(PlacedRate(place: element, rate: rate)) }
    }
    refuseRepeated(placed)
    let ended = Rate.settingEnds(of: placed.map(\.rate))
    for index in placed.indices { placed[index].rate = ended[index] }
    refuseAmbiguous(placed)
    return ended
  }

  private mutating func price(_ place: ConfigurationPlace, _ known: KnownMeters) -> Rate? {
    let keys = ["meter", "where", "price", "per", "currency", "from"]
    guard let object = object(place, keys: keys) else { return nil }
    let before = faults.count
    let price = decimal(required("price", in: object), .fromZero)
    let currency = currency(required("currency", in: object))
    let from = start(object["from"])
    let perPlace = required("per", in: object)
    guard let namePlace = required("meter", in: object), let name = text(namePlace),
      let meter = meter(named: name, namePlace, in: known)
    else { return nil }
    let conditions = conditions(object["where"], of: meter)
    let per = amount(perPlace, of: meter, allowingBare: false)
    if let perPlace, let per, per.value.isZero { fault(perPlace, "must be above zero") }
    guard faults.count == before, let price, let per, let currency, let from else { return nil }
    return Rate(
      meter: name, conditions: conditions, price: price.value / per.value,
      printedPrice: price.text, printedPer: per.text, currency: currency, from: from)
  }

  private mutating func conditions(
    _ place: ConfigurationPlace?, of meter: Meter
  ) -> [Rate.Condition] {
    guard let place, let members = members(place) else { return [] }
    var conditions: [Rate.Condition] = []
    for (attribute, value) in members {
      if !meter.attributes.contains(attribute) {
        fault(value, "the meter \"\(meter.name.string)\" declares no such attribute")
      }
      guard let text = attributeValue(value) else { continue }
      if text.count > Limits.nameBytes {
        fault(value, "must have at most \(Limits.nameBytes) bytes")
      }
      conditions.append(Rate.Condition(attribute: attribute, value: text))
    }
    return conditions
  }

  /// The text that an attribute's value has in events: numbers in their shortest form.
  private mutating func attributeValue(_ place: ConfigurationPlace) -> ByteString? {
    switch place.node.value {
    case .string(let text): return text
    case .bool(let flag): return flag ? "true" : "false"
    case .number(let text):
      if let value = Fraction(decimal: text) { return ByteString(value.decimal) }
      fault(place, "must have an exponent from -64 to 64")
    default: mismatch(place, expected: "a string, a number or a boolean")
    }
    return nil
  }

  private mutating func refuseRepeated(_ placed: [PlacedRate]) {
    struct Identity: Hashable {
      var key: Rate.Key
      var from: Instant
    }
    var first: [Identity: PlacedRate] = [:]
    for entry in placed {
      let identity = Identity(key: entry.rate.key, from: entry.rate.from)
      if let other = first[identity] {
        fault(entry.place(of: "from"), "same meter, where and from as \(other.place.path)")
      } else {
        first[identity] = entry
      }
    }
  }

  /// Finds rates of which one reading could have two, neither more specific. Only rates on
  /// different attributes can be such; their common attributes must have equal values.
  private mutating func refuseAmbiguous(_ placed: [PlacedRate]) {
    for rates in Dictionary(grouping: placed, by: \.rate.meter).values {
      let groups = Dictionary(grouping: rates) { $0.rate.conditions.map(\.attribute) }
      let attributes = groups.keys.sorted { $0.lexicographicallyPrecedes($1) }
      for (number, left) in attributes.enumerated() {
        for right in attributes[(number + 1)...] where right.count == left.count {
          refuseAmbiguous(
            groups[left] ?? [], groups[right] ?? [], common: left.filter(right.contains))
        }
      }
    }
  }

  private mutating func refuseAmbiguous(
    _ left: [PlacedRate], _ right: [PlacedRate], common: [ByteString]
  ) {
    func commonPart(_ entry: PlacedRate) -> [Rate.Condition] {
      entry.rate.conditions.filter { common.contains($0.attribute) }
    }
    let others = Dictionary(grouping: left, by: commonPart)
    for entry in right {
      let clash = others[commonPart(entry)]?.first { other in
        max(other.rate.from, entry.rate.from) < min(other.rate.until, entry.rate.until)
      }
      guard let clash else { continue }
      let isLater =
        (clash.place.node.line, clash.place.node.column)
        > (entry.place.node.line, entry.place.node.column)
      let (later, earlier) = isLater ? (clash, entry) : (entry, clash)
      fault(
        later.place(of: "where"),
        "one reading can match this and \(earlier.place.path), neither is more specific")
    }
  }
}
