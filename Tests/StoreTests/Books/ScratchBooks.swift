import Foundation
import Metering
import Store

/// A store in a folder of its own that may be closed and opened under another configuration. Its
/// identity is fixed, so that hashes replay.
final class ScratchBooks {
  static let now = Instant(microseconds: 1_796_000_000_000_000)

  let directory = NSTemporaryDirectory() + "outlay-scratch-\(UUID().uuidString)"

  init() throws { try LinuxDisk.makeRoot(directory) }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  static func load(_ text: String) throws -> Configuration {
    let defaults = ConfigurationDefaults(socketPath: "/unused", storeDirectory: "/unused")
    return try Configuration.load(
      Array(text.utf8), defaults: defaults, timeZoneExists: { _ in true }
    ).get()
  }

  func open(_ text: String, options: Books.Options = Books.Options()) throws -> Books {
    try open(Self.load(text), options: options)
  }

  func open(
    _ configuration: Configuration, options: Books.Options = Books.Options(),
    disk: (any Disk)? = nil
  ) throws -> Books {
    try Books(
      directory: directory, disk: disk ?? LinuxDisk(root: directory), configuration: configuration,
      options: options,
      newIdentity: { StoreIdentity(id: Array(repeating: 7, count: 16), key: Array(0..<16)) })
  }

  /// ``now``, with no time passed since the entry before.
  static let moment = CommitTime(now: now, elapsed: 0)

  /// Commits the lines as one batch, at ``now`` or when it is said.
  static func commit(
    _ lines: [String], to books: Books, at time: CommitTime = moment
  ) throws -> CommitResult {
    let batch = IngestBatch()
    var decoder = EventDecoder(key: books.hashKey)
    for line in lines { Array(line.utf8).withUnsafeBytes { decoder.decodeLine($0, into: batch) } }
    return try books.commit(batch, steps: [.events(lines.count)], at: time)
  }

  /// Sums of a transaction by meter, raw.
  static func usage(of id: ByteString, in books: Books) throws -> [ByteString: Int128] {
    try books.ask(try books.makeView()) { try $0.usage(of: id) }
      .reduce(into: [:]) { $0[$1.meter, default: 0] += $1.quantity }
  }

  static func send(_ line: String, to books: Books) throws -> [Verdict] {
    try Array(commit([line], to: books).verdicts)
  }

  /// Commits one command, at ``now``.
  static func tell(_ command: Command, to books: Books) throws -> CommandOutcome? {
    try books.commit(
      IngestBatch(), steps: [.command(command)], at: CommitTime(now: now, elapsed: 0)
    ).outcomes.first
  }
}
