import Metering

/// `outlay demo`: a server on a scratch folder, purchases, their events and the answers; then a
/// responder beside it, and Apple's side of refunds.
package struct DemoCommand {
  /// Where Prometheus would look first.
  private static let usualPort: UInt16 = 9469

  /// Whether it ends after printing instead of staying.
  private let endsAtOnce: Bool

  /// A demonstration.
  package init(endsAtOnce: Bool) {
    self.endsAtOnce = endsAtOnce
  }

  /// Runs it and removes what it made. Throws when a step fails.
  package func run(temporaryFolder: String) throws(CommandFailure) {
    CommandSystem.rememberEndSignals()
    let child = try ServerChild(
      parent: temporaryFolder, body: DemoConfiguration.body, preferredPort: Self.usualPort)
    defer { child.finish() }
    let now = CommandSystem.wallMicroseconds() / 1000
    let signer = try DemoResponder.prepare(child, now: now)
    try child.start()
    try register(child.address, now: now)
    try send(child, now: now)
    try report(child.address, now: now)
    let responder = try DemoResponder(beside: child, signer: signer)
    defer { responder.stop() }
    try tellRefunds(child.address, responder, now: now)
    Console.print("page     http://\(child.metricsAddress)/\n")
    Console.print("metrics  http://\(child.metricsAddress)/metrics\n")
    Console.print("         http://\(responder.metricsAddress)/metrics (the responder's)\n")
    Console.print("socket   \(child.socketPath)\n")
    if !endsAtOnce { try stay(child) }
  }

  private func register(_ address: ServerAddress, now: Int64) throws(CommandFailure) {
    let client = try address.connect()
    for purchase in DemoPurchase.all {
      for request in purchase.requests(nowMilliseconds: now) {
        _ = try ServerAddress.send(request, by: client)
      }
    }
  }

  private func send(_ child: ServerChild, now: Int64) throws(CommandFailure) {
    let path = "\(child.folder)/events.ndjson"
    let lines = DemoEvents(nowMilliseconds: now).lines
    try CommandSystem.writeFile(path, lines.joined(separator: "\n") + "\n")
    var sending = try SendCommand(file: path, address: child.address)
    let code = try sending.run()
    guard code == ExitCode.success else { throw CommandFailure("the server refused events") }
  }

  private func report(_ address: ServerAddress, now: Int64) throws(CommandFailure) {
    for purchase in DemoPurchase.all {
      let answer = try ShowCommand.consumption(of: purchase.id, address: address)
      let rule = String(repeating: "-", count: purchase.headline.count)
      Console.print("\n\(purchase.headline)\n\(rule)\n")
      Console.print(ConsumptionText(try AnswerJSON.parse(answer)).text)
    }
    Console.print("\ncosts by month\n--------------\n")
    var costs = CostsCommand()
    let day: Int64 = 86_400_000
    costs.from = Instant(milliseconds: now - 21 * day).description
    costs.to = Instant(milliseconds: now + day).description
    costs.window = "month"
    try costs.run(address: address)
  }

  private func tellRefunds(
    _ address: ServerAddress, _ responder: DemoResponder, now: Int64
  ) throws(CommandFailure) {
    Console.print("\nwhen customers want their money back\n------------------------------------\n")
    var refunds = DemoRefunds(address: address, apple: try responder.notifier(now: now))
    Console.print(try refunds.run() + "\n")
  }

  private func stay(_ child: ServerChild) throws(CommandFailure) {
    let shown = DemoPurchase.credits.id
    let gated = DemoPurchase.undelivered.id
    Console.print("try      outlay show \(shown) --socket \(child.socketPath)\n")
    Console.print("         outlay respond --dry-run \(gated):1 --socket \(child.socketPath)\n")
    Console.print("Ctrl-C ends it and removes the folder.\n")
    while !CommandSystem.isEndRequested && !Console.isOutputLost {
      guard child.isRunning else { throw CommandFailure("the server has ended") }
      CommandSystem.sleep(milliseconds: 100)
    }
  }
}
