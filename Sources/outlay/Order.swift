import Sidecar

/// `outlay order`
enum Order: Subcommand {
  static let syntax = CommandSyntax(
    "order", "look up what a customer bought with an order", operands: ["ORDERID"],
    options: [.configuration, .bundle],
    notes: ["ORDERID stands on the customer's receipt. Apple's sandbox has no orders."])

  static func run(_ arguments: CommandArguments, environment: [String: String]) throws -> Int32 {
    try OrderCommand(order: arguments.operands[0], bundle: arguments.text("--bundle"))
      .run(AppStoreSession(file: arguments.text("--config"), environment: environment))
  }
}
