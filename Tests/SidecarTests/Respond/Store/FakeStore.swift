import Foundation
import Metering
import Testing

@testable import Sidecar

/// Apple's side as `fake_store.py` plays it, in a process of its own.
final class FakeStore {
  struct Failed: Error { var line: String }

  /// One call that Apple has seen.
  struct Call {
    var path: String
    var body: String
    var environment: String
    /// The status answered, or the fault made, with Apple's number.
    var answer: String
    var code: Int64?
    var at: Instant
  }

  let folder: String
  let facts: JSONNode
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init() throws {
    folder = try CommandSystem.makeScratchFolder(in: "/tmp")
    process.executableURL = URL(fileURLWithPath: try Self.python())
    process.arguments = [Self.script("fake_store.py"), folder]
    process.environment = ChildEnvironment.with(["PYTHONDONTWRITEBYTECODE": "1"])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = try Self.line(output.fileHandleForReading)
    facts = try JSONNode.parse(line, dialect: .strict)
  }

  /// Ends it and removes its files.
  func finish() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    CommandSystem.removeFolder(folder)
  }

  static func python() throws -> String {
    try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
  }

  static func script(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name).path
  }

  func text(_ fact: String) throws -> String { try #require(facts[fact]?.text) }

  func origin(_ environment: String) throws -> String {
    "https://localhost:\(try text(environment))"
  }

  /// Gives a command with its members as JSON, and waits until it is obeyed.
  @discardableResult
  func command(_ name: String, _ members: String = "") throws -> JSONNode {
    let separator = members.isEmpty ? "" : ","
    let line = "{\"do\":\"\(name)\"\(separator)\(members)}\n"
    try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    return try JSONNode.parse(Self.line(output.fileHandleForReading), dialect: .strict)
  }

  /// A purchase that Apple knows; its signed transaction.
  @discardableResult
  func purchase(
    _ id: String, in environment: String = "Production", _ fields: String = ""
  ) throws -> String {
    let separator = fields.isEmpty ? "" : ","
    let answer = try command(
      "purchase",
      "\"environment\":\"\(environment)\",\"transactionId\":\"\(id)\"\(separator)\(fields)")
    return try #require(answer["signedTransactionInfo"]?.text)
  }

  /// What the next calls get, as JSON objects.
  func plan(_ answers: String...) throws {
    try command("plan", "\"answers\":[\(answers.joined(separator: ","))]")
  }

  /// Waits until so many calls of an endpoint have come.
  func calls(_ endpoint: String, count: Int) throws -> [Call] {
    let answer = try command("wait", "\"endpoint\":\"\(endpoint)\",\"count\":\(count)")
    #expect(answer["came"]?.bool == true, "\(count) calls of \(endpoint) were to come")
    return try #require(answer["calls"]?.elements).map { call in
      Call(
        path: call["path"]?.text ?? "", body: call["body"]?.text ?? "",
        environment: call["environment"]?.text ?? "", answer: call["answer"]?.text ?? "",
        code: call["code"]?.integer,
        at: Instant(milliseconds: call["at"]?.integer ?? 0))
    }
  }

  /// Connections that it has taken.
  func connections() throws -> Int64? {
    try command("wait", "\"endpoint\":\"\",\"count\":0")["connections"]?.integer
  }

  private static func line(_ file: FileHandle) throws -> [UInt8] {
    var line: [UInt8] = []
    while let byte = try file.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    throw Failed(line: String(decoding: line, as: UTF8.self))
  }
}

/// The fake is proved by Apple's own library before anything is proved by the fake.
struct FakeStoreTests {
  @Test func applesOwnLibraryAgreesWithTheFake() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try FakeStore.python())
    process.arguments = [FakeStore.script("prove_fake.py")]
    process.environment = ChildEnvironment.with(["PYTHONDONTWRITEBYTECODE": "1"])
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: said, as: UTF8.self) == "proved\n")
  }
}
