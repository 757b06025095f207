import Metering
import Wire

/// `outlay costs`: what usage has cost, by day or month.
package struct CostsCommand: Sendable {
  /// How the rows are printed.
  package enum Format: Sendable {
    case table
    case csv
    case json
  }

  /// First day or instant; nil leaves the choice to the server.
  package var from: String?
  /// Day or instant where the rows end, not included.
  package var to: String?
  /// "day" or "month"; nil leaves the choice to the server.
  package var window: String?
  /// "meter,product" or one of them; nil leaves the choice to the server.
  package var groupBy: String?
  /// The environment; nil for Production and unknown.
  package var environment: String?
  /// How to print.
  package var format = Format.table

  /// Everything that the server takes when nothing is said.
  package init() {}

  /// Asks and prints. Throws when the server can't be reached or refuses.
  package func run(address: ServerAddress) throws(CommandFailure) {
    let accept = format == .csv ? "text/csv" : "application/json"
    let body = try address.get(target, accept: accept).body
    switch format {
    case .csv: Console.printCSV(body)
    case .json: Console.printJSON(body)
    case .table: Console.print(Self.table(try AnswerJSON.parse(body)))
    }
  }

  var target: String {
    let parameters = [
      ("from", from), ("to", to), ("window", window), ("groupBy", groupBy),
      ("environment", environment),
    ]
    let pairs = parameters.compactMap { name, value in
      value.map { "\(name)=\(ShowCommand.percentEncoded($0))" }
    }
    return "/v1/costs" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  static func table(_ answer: JSONNode) -> String {
    let columns = [
      "start", "meter", "product", "environment", "quantity", "unit", "amount", "currency",
    ]
    var table = TextTable(columns + [""], rightAligned: [4, 6])
    for row in answer["items"]?.elements ?? [] {
      var cells = columns.map { JSONNode.plain(row[$0]) }
      // Days are told apart by their date; the hour is midnight in the configured zone.
      cells[0] = String(cells[0].prefix(16))
      var notes: [String] = []
      if row["complete"]?.bool == false { notes.append("incomplete") }
      if row["final"]?.bool == false { notes.append("not final") }
      table.add(cells + [notes.joined(separator: ", ")])
    }
    return table.isEmpty ? "no usage in this time\n" : table.text()
  }
}
