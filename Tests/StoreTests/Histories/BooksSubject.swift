import Foundation
import Metering
import Store

/// The store in this process, on a real directory, with a clock that stands still.
final class BooksSubject: Subject {
  /// Tests move it, never back.
  var now: Int64
  let directory: String
  private let options: Books.Options
  private var configuration: Configuration
  private var open: (books: Books, view: LedgerView)?
  /// Where the journal is; fails when tests say so.
  private(set) var disk: FragileDisk

  init(
    _ configuration: ReferenceConfiguration, now: Int64, options: Books.Options = Books.Options()
  ) throws {
    self.now = now
    self.options = options
    self.configuration = try Self.load(configuration)
    directory = NSTemporaryDirectory() + "outlay-books-\(UUID().uuidString)"
    try LinuxDisk.makeRoot(directory)
    disk = FragileDisk(LinuxDisk(root: directory))
    try start()
  }

  deinit {
    open = nil
    try? FileManager.default.removeItem(atPath: directory)
  }

  static func load(_ configuration: ReferenceConfiguration) throws -> Configuration {
    let defaults = ConfigurationDefaults(socketPath: "/unused", storeDirectory: "/unused")
    let text = Array(configuration.text().utf8)
    switch Configuration.load(text, defaults: defaults, timeZoneExists: { _ in true }) {
    case .success(let loaded): return loaded
    case .failure(let faults): throw SubjectFault(description: "\(faults)")
    }
  }

  private func start() throws {
    disk = FragileDisk(LinuxDisk(root: directory))
    let books = try Books(
      directory: directory, disk: disk, configuration: configuration,
      options: options,
      // A store's identity only has to be its own; a fixed one makes hashes replay.
      newIdentity: {
        StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16))
      })
    open = (books, try books.makeView())
  }

  private func opened() throws -> (books: Books, view: LedgerView) {
    guard let open else { throw SubjectFault(description: "the store is closed") }
    return open
  }

  func commit(_ batch: IngestBatch, _ steps: [BatchStep]) throws -> CommitResult {
    try opened().books.commit(
      batch, steps: steps, at: CommitTime(now: Instant(microseconds: now), elapsed: 0))
  }

  func send(_ lines: [String]) throws -> BatchAnswer {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: try opened().books.hashKey)
    for line in lines {
      Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) }
    }
    let result = try commit(batch, [.events(lines.count)])
    return BatchAnswer(result.verdicts)
  }

  func put(_ change: Change) throws -> Int {
    let result = try commit(IngestBatch(), [.command(try Self.command(for: change))])
    switch result.outcomes.first {
    case .created: return 201
    case .updated: return 200
    case .stored: return 204
    case .environmentMismatch: return 409
    case .idMismatch, .invalid: return 422
    case .refundCase, .notified, .unavailable, nil: return 503
    }
  }

  static func command(for change: Change) throws -> Command {
    switch change {
    case .purchase(let purchase):
      let node = try JSONNode.parse(Array(purchase.payload.utf8), dialect: .strict)
      return .putTransaction(id: ByteString(purchase.id), payload: try Purchase(payload: node))
    case .delivery(let id, let status):
      guard let status = DeliveryStatus(name: ByteString(status)) else {
        throw SubjectFault(description: "\(status) is no delivery status")
      }
      return .putDelivery(id: ByteString(id), status: status)
    case .customer(let id, let customer):
      return .putCustomer(id: ByteString(id), customer: ByteString(customer))
    case .allowance(let id, let amounts):
      var allowances: [ByteString: Quantity] = [:]
      for (meter, text) in amounts {
        let parsed = Array(text.utf8).withUnsafeBytes {
          Quantity.parse($0, roundingExcess: false)
        }
        allowances[ByteString(meter)] = try? parsed.get()
      }
      return .putAllowance(id: ByteString(id), allowances: allowances)
    }
  }

  func consumption(_ id: String) throws -> String? {
    let (books, view) = try opened()
    return try books.ask(view) { reading in
      let answer = try ConsumptionAnswer(
        transaction: ByteString(id), from: reading, configuration: configuration,
        now: Instant(microseconds: now))
      return answer.map { String(decoding: $0.json, as: UTF8.self) }
    }
  }

  func unattributed(_ customer: String) throws -> [String: Exact] {
    let (books, view) = try opened()
    return try books.ask(view) { reading in
      let answer = try CustomerAnswer(
        customer: ByteString(customer), from: reading, configuration: configuration,
        now: Instant(microseconds: now))
      var sums: [String: Exact] = [:]
      let json = TinyJSON(String(decoding: answer.json, as: UTF8.self))
      for entry in json?["unattributed"]?.elements ?? [] {
        sums[entry["meter"]?.text ?? "", default: .zero] += entry.amount("quantity")
      }
      return sums
    }
  }

  /// Lends the store with the configuration in force.
  func withBooks<Value>(_ body: (Books, Configuration) throws -> Value) throws -> Value {
    try body(try opened().books, configuration)
  }

  func restart(killing: Bool) throws {
    if !killing { try opened().books.close() }
    open = nil
    try start()
  }

  func flush() throws {
    try opened().books.freeze()
    _ = try opened().books.flush()
  }

  func merge() throws {
    while try opened().books.merge() {}
  }

  func reload(_ configuration: ReferenceConfiguration) throws {
    let loaded = try Self.load(configuration)
    try opened().books.reload(loaded)
    self.configuration = loaded
  }
}

extension BatchAnswer {
  /// The answer of the product.
  init(_ verdicts: some Sequence<Verdict>) {
    self.init(
      verdicts.map { verdict in
        switch verdict {
        case .accepted: .accepted
        case .duplicate: .duplicate
        case .conflict: .conflict
        case .rejected(let code): .rejected(code.name)
        }
      })
  }
}
