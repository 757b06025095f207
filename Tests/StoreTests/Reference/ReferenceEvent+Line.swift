/// How a line is written, where the contract gives the sender a choice.
struct LineStyle {
  /// Minutes east of UTC of the written instant.
  var offsetMinutes = 0
  /// Decimals of the written instant; the time must need no more.
  var decimals = 6
  /// Wraps a single reading into `usage`.
  var wrapsReading = false
  /// Writes the fields in the opposite order.
  var reversed = false
  var spaced = false
  /// Writes quoted quantities with a useless exponent.
  var exponents = false

  static let plain = LineStyle()
}

extension ReferenceEvent {
  /// The event as one line of JSON.
  func line(_ style: LineStyle = .plain) -> String {
    if case .mark(let through) = body {
      let instant = through.map { TinyJSON.quoted(Calendar.text($0)) } ?? "null"
      let source = ("source", TinyJSON.quoted(key.source))
      return Self.object([source, ("completeThrough", instant)], style)
    }
    var fields = [("id", TinyJSON.quoted(key.id))]
    if !key.source.isEmpty || style.spaced {
      fields.append(("source", TinyJSON.quoted(key.source)))
    }
    switch body {
    case .mark: break
    case .void(let target):
      let source = TinyJSON.quoted(target.source)
      fields.append(("voids", "{\"source\":\(source),\"id\":\(TinyJSON.quoted(target.id))}"))
    case .usage(let subject, let time, let readings):
      if let time {
        let instant = Calendar.text(
          time, offsetMinutes: style.offsetMinutes, decimals: style.decimals)
        fields.append(("time", TinyJSON.quoted(instant)))
      }
      fields.append((subject.field.name, TinyJSON.quoted(subject.field.value)))
      if readings.count == 1, !style.wrapsReading {
        fields += readings[0].fields(style)
      } else {
        let all = readings.map { Self.object($0.fields(style), style) }
        fields.append(("usage", "[" + all.joined(separator: ",") + "]"))
      }
    }
    return Self.object(fields, style)
  }

  private static func object(_ fields: [(String, String)], _ style: LineStyle) -> String {
    let ordered = style.reversed ? fields.reversed() : fields
    let gap = style.spaced ? " " : ""
    let members = ordered.map { "\"\($0.0)\"\(gap):\(gap)\($0.1)" }
    return "{" + gap + members.joined(separator: ",\(gap)") + gap + "}"
  }
}

extension ReferenceReading {
  /// As one object of a `usage` list.
  var json: String {
    "{" + fields(.plain).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  fileprivate func fields(_ style: LineStyle) -> [(String, String)] {
    let exponent = style.exponents && !quantity.contains("e") ? "e0" : ""
    let written = quantity + exponent
    var fields = [("meter", TinyJSON.quoted(meter))]
    fields.append(("quantity", quotedQuantity ? TinyJSON.quoted(written) : written))
    if let unit { fields.append(("unit", TinyJSON.quoted(unit))) }
    if !attributes.isEmpty {
      let sorted = attributes.sorted { $0.key < $1.key }
      let ordered = style.reversed ? sorted.reversed() : sorted
      let members = ordered.map { "\(TinyJSON.quoted($0.key)):\($0.value.json)" }
      fields.append(("attributes", "{" + members.joined(separator: ",") + "}"))
    }
    if let cost {
      fields.append(("cost", "{\"amount\":\"\(cost.amount)\",\"currency\":\"\(cost.currency)\"}"))
    }
    return fields
  }
}
