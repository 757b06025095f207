import Metering
import Wire

/// `outlay show`: what is known about one purchase.
package enum ShowCommand {
  /// Asks for the consumption answer and prints it as a table, or as it came with `asJSON`.
  /// Throws when the server can't be reached or refuses.
  package static func run(
    transaction: String, asJSON: Bool, address: ServerAddress
  ) throws(CommandFailure) {
    let answer = try consumption(of: transaction, address: address)
    if asJSON {
      Console.printJSON(answer)
    } else {
      Console.print(ConsumptionText(try AnswerJSON.parse(answer)).text)
    }
  }

  static func consumption(
    of transaction: String, address: ServerAddress
  ) throws(CommandFailure) -> [UInt8] {
    try address.get("/v1/transactions/\(percentEncoded(transaction))/consumption").body
  }

  /// Bytes that may not stand in a path segment are escaped.
  static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 128 && (scalar.properties.isAlphabetic || "0123456789-._~".utf8.contains(byte))
      encoded += isPlain ? String(scalar) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
    return encoded
  }
}
