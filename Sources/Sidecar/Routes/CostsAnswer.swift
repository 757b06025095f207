import Metering
package import Wire

/// Writes a cost table for programs and for spreadsheets.
package enum CostsAnswer {
  /// The rows in the format that was asked for.
  package static func response(_ rows: [CostRow], format: CostsQuestion.Format) -> HTTPResponse {
    switch format {
    case .json: return .json(json(rows))
    case .csv:
      return HTTPResponse(
        status: 200, headers: [("Content-Type", "text/csv; charset=utf-8; header=present")],
        body: csv(rows))
    }
  }

  /// `{"items":[…],"next":null}`.
  static func json(_ rows: [CostRow]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("items")
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("start", row.start.description)
      writer.member("end", row.end.description)
      writer.member("meter", row.meter)
      writer.member("product", row.product)
      writer.member("environment", row.environment)
      writer.member("currency", row.currency)
      writer.member("quantity", (row.quantity?.decimal).map { ByteString($0) })
      writer.member("unit", row.unit)
      writer.member("amount", (row.amount?.decimal).map { ByteString($0) })
      writer.member("complete", row.isComplete)
      writer.member("final", row.isFinal)
      writer.endObject()
    }
    writer.endArray()
    writer.key("next")
    writer.null()
    writer.endObject()
    return writer.bytes
  }

  /// RFC 4180 with a header line; what is null in JSON is empty.
  static func csv(_ rows: [CostRow]) -> [UInt8] {
    var output = Array(
      "start,end,meter,product,environment,currency,quantity,unit,amount,complete,final\r\n".utf8)
    for row in rows {
      let fields: [String?] = [
        row.start.description, row.end.description, row.meter?.string, row.product?.string,
        row.environment.string, row.currency?.string, row.quantity?.decimal, row.unit?.string,
        row.amount?.decimal, String(row.isComplete), String(row.isFinal),
      ]
      let line = fields.map { escaped($0 ?? "") }.joined(separator: ",")
      output.append(contentsOf: "\(line)\r\n".utf8)
    }
    return output
  }

  /// A spreadsheet and a terminal are shown what is there, and obey none of it.
  private static func escaped(_ content: String) -> String {
    let field = PlainText.escaped(content)
    guard field.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return field }
    var quoted = "\""
    for scalar in field.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
