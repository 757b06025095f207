import Metering

/// Purchases for tests, each built from a payload as a backend sends it.
enum Samples {
  static func instant(_ text: String) -> Instant {
    Instant(rfc3339: ByteString(text)) ?? .distantPast
  }

  static func milliseconds(_ text: String) -> Int64 { instant(text).microseconds / 1000 }

  static func payload(_ json: String) throws -> Purchase {
    try Purchase(payload: JSONNode.parse(Array(json.utf8), dialect: .strict))
  }

  /// One member a field; dates are RFC 3339 texts in fields whose names end with `Date`.
  static func purchase(_ fields: [String: String]) throws -> Purchase {
    let members = fields.map { name, value in
      let isDate = name.hasSuffix("Date")
      let isNumber = Int64(value) != nil && !name.hasSuffix("Id")
      let text = isDate && !isNumber ? String(milliseconds(value)) : value
      let isBare = isDate || isNumber || value == "true" || value == "false" || value.hasPrefix("{")
      return "\"\(name)\":" + (isBare ? text : "\"\(text)\"")
    }
    return try payload("{\(members.joined(separator: ","))}")
  }

  static func record(_ id: ByteString, _ fields: [String: String]) throws -> PurchaseRecord {
    let merge = PurchaseRecord(transactionId: id).applying(try purchase(fields), signed: false)
    return try merge.get().record
  }

  static func configuration() -> Configuration {
    Configuration(defaults: ConfigurationDefaults(socketPath: "/s", storeDirectory: "/d"))
  }

  static func fraction(_ text: String) -> Fraction { Fraction(decimal: ByteString(text)) ?? .zero }
}
