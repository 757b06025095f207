import Metering
import Wire

/// The small JSON bodies of commands: whatever is not understood is refused, since a misspelt
/// field would change what people are paid.
extension Router {
  func putTransaction(_ request: HTTPRequest, _ id: ByteString) throws(Problem) -> Command {
    let body = try Self.object(request, fields: nil)
    do throws(PurchaseFault) {
      return .putTransaction(id: id, payload: try Purchase(payload: body))
    } catch {
      throw .unprocessable(PurchaseFault.code, error.detail)
    }
  }

  func putDelivery(_ request: HTTPRequest, _ id: ByteString) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["deliveryStatus"])
    guard let status = body["deliveryStatus"]?.string.flatMap(DeliveryStatus.init(name:)) else {
      let names = DeliveryStatus.allCases.map(\.name).joined(separator: ", ")
      throw .unprocessable("invalid_delivery_status", "deliveryStatus is one of \(names).")
    }
    return .putDelivery(id: id, status: status)
  }

  func putCustomer(_ request: HTTPRequest, _ id: ByteString) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["customer"])
    guard let customer = body["customer"]?.string, Self.isId(customer.bytes) else {
      throw .unprocessable(
        "invalid_customer",
        "customer is a string of 1 to \(RouteLimits.idBytes) bytes without control characters.")
    }
    return .putCustomer(id: id, customer: customer.customerKey)
  }

  func putAllowance(_ request: HTTPRequest, _ id: ByteString) throws(Problem) -> Command {
    let body = try Self.object(request, fields: nil)
    let members = body.members ?? []
    guard members.count <= RouteLimits.allowanceMeters else {
      throw .unprocessable(
        "invalid_allowance", "At most \(RouteLimits.allowanceMeters) meters in one allowance.")
    }
    var allowances: [ByteString: Quantity] = [:]
    for member in members {
      guard configuration.meters[member.key] != nil else {
        throw .unprocessable(
          "unknown_meter", "No meter is named \"\(member.key.string)\" in the configuration.")
      }
      allowances[member.key] = try Self.quantity(member.node, of: member.key)
    }
    return .putAllowance(id: id, allowances: allowances)
  }

  func putOpening(
    _ request: HTTPRequest, _ id: ByteString, now: Instant
  ) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["until", "usage"])
    guard let until = try Self.instant("until", of: body, now: now) else {
      throw .unprocessable("invalid_time", "until is an RFC 3339 instant with its offset.")
    }
    guard let usage = body["usage"], let readings = usage.elements,
      readings.count <= RouteLimits.openingReadings
    else {
      throw .unprocessable(
        "invalid_body",
        "usage is an array of at most \(RouteLimits.openingReadings) readings, perhaps none.")
    }
    var writer = JSONWriter()
    writer.copy(usage)
    return .putOpening(id: id, until: until, usage: ByteString(writer.bytes))
  }

  func putConsent(
    _ request: HTTPRequest, _ customer: ByteString, now: Instant
  ) throws(Problem) -> Command {
    let body = try Self.object(request, fields: ["consented", "at"])
    guard let consented = body["consented"]?.bool else {
      throw .unprocessable("invalid_consent", "consented is true or false.")
    }
    let at = try Self.instant("at", of: body, now: now)
    return .putConsent(customer: customer, consented: consented, at: at ?? now)
  }

  /// An instant that has come, give or take the clocks; nil when it isn't given.
  static func instant(
    _ name: String, of body: JSONNode, now: Instant
  ) throws(Problem) -> Instant? {
    guard let node = body[name], !node.isNull else { return nil }
    guard let instant = node.string.flatMap({ Instant(rfc3339: $0) }) else {
      throw .unprocessable("invalid_time", "\(name) is an RFC 3339 instant with its offset.")
    }
    guard instant <= now.adding(microseconds: RouteLimits.clockSkewMicroseconds) else {
      throw .unprocessable("time_in_future", "\(name) is more than 5 minutes in the future.")
    }
    return instant
  }

  private static func quantity(
    _ node: JSONNode, of meter: ByteString
  ) throws(Problem) -> Quantity {
    let parsed: Result<Quantity, Quantity.Fault>
    switch node.value {
    case .number(let text): parsed = Quantity.parse(text, roundingExcess: true)
    case .string(let text): parsed = Quantity.parse(text, roundingExcess: false)
    default: parsed = .failure(.malformed)
    }
    guard case .success(let quantity) = parsed else {
      throw .unprocessable(
        "invalid_quantity",
        "\(meter.string): a decimal with at most 18 digits before and 9 after the point.")
    }
    guard quantity.raw >= 0 else {
      throw .unprocessable("negative_quantity", "\(meter.string): an allowance is never negative.")
    }
    return quantity
  }

  /// The request's JSON object. `fields` are all that it may have; nil takes any.
  static func object(
    _ request: HTTPRequest, fields: Set<ByteString>?
  ) throws(Problem) -> JSONNode {
    let type = try MediaType.of(request)
    guard type == nil || type == MediaType.json else {
      throw .unsupportedMediaType([MediaType.json.text])
    }
    try plainContent(request)
    try onlyParameters([], of: request)
    guard request.body.count <= RouteLimits.smallBodyBytes else {
      throw Problem(
        status: 413, code: "too_large",
        detail: "This path takes at most \(RouteLimits.smallBodyBytes) bytes.")
    }
    let node = try parse(request.body)
    guard let members = node.members else {
      throw .unprocessable("invalid_body", "The body is \(node.typeName), not an object.")
    }
    if let fields, let unknown = members.first(where: { !fields.contains($0.key) }) {
      throw .unprocessable("unknown_field", "Nothing is named \"\(unknown.key.string)\" here.")
    }
    return node
  }

  private static func parse(_ body: [UInt8]) throws(Problem) -> JSONNode {
    do throws(JSONFault) {
      return try JSONNode.parse(body, dialect: .strict)
    } catch {
      throw Problem(error)
    }
  }
}
