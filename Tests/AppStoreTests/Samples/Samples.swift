import AppStore
import Foundation
import Metering
import Testing

/// What `make_samples.py` makes anew for every run: roots, keys and signed payloads with the
/// verdict of Apple's own library.
struct Samples: Sendable {
  struct Sample: Sendable {
    var name: String
    /// `transaction`, `renewal` or `notification`.
    var kind: String
    var jws: ByteString
    var isGood: Bool
    /// `accepted`, or the judge's own word for why not.
    var judge: String
  }

  var all: [Sample]
  /// When the usual payloads were signed.
  var signed: Instant
  private var roots: [String: [UInt8]]
  private var keys: [String: [UInt8]]

  static let bundleIds: Set<ByteString> = ["com.example.app", "com.example.other"]
  static let appAppleId: Int64 = 1_234_567_890

  /// A minute after the usual payloads were signed.
  var now: Instant { signed.adding(microseconds: 60_000_000) }

  func root(_ name: String) throws -> [UInt8] { try #require(roots[name]) }
  func key(_ name: String) throws -> [UInt8] { try #require(keys[name]) }
  func sample(_ name: String) throws -> Sample { try #require(all.first { $0.name == name }) }
  func jws(_ name: String) throws -> ByteString { try sample(name).jws }

  /// A verifier for both environments that pins the two roots.
  func verifier() throws -> SignedDataVerifier {
    try SignedDataVerifier(
      rootCertificates: [try root("der"), try root("second")], bundleIds: Self.bundleIds,
      appAppleId: Self.appAppleId, environments: [.production, .sandbox])
  }

  /// What the verifier finds wrong with a sample; nil if nothing.
  func fault(_ sample: Sample, by verifier: SignedDataVerifier) -> VerificationFault? {
    do throws(VerificationFault) {
      switch sample.kind {
      case "transaction": _ = try verifier.verifiedTransaction(sample.jws, now: now)
      case "renewal": _ = try verifier.verifiedRenewalInfo(sample.jws, now: now)
      default: _ = try verifier.verifiedNotification(sample.jws, now: now)
      }
      return nil
    } catch {
      return error
    }
  }

  static func made() throws -> Samples { try result.get() }

  private static let result = Result { try make() }

  private static func make() throws -> Samples {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("make_samples.py").path
    let node = try JSONNode.parse(try Python.run([script]), dialect: .strict)
    let all = try #require(node["samples"]?.elements).map { sample in
      Sample(
        name: try #require(sample["name"]?.string).string,
        kind: try #require(sample["kind"]?.string).string,
        jws: try #require(sample["jws"]?.string), isGood: sample["group"]?.string == "good",
        judge: try #require(sample["judge"]?.string).string)
    }
    var roots = try texts(node["roots"])
    let der = try #require(roots["der"].flatMap { Data(base64Encoded: Data($0)) })
    roots["der"] = Array(der)
    return Samples(
      all: all, signed: Instant(milliseconds: try #require(node["signed"]?.integer)),
      roots: roots, keys: try texts(node["keys"]))
  }

  private static func texts(_ node: JSONNode?) throws -> [String: [UInt8]] {
    let members = try #require(node?.members)
    return Dictionary(
      uniqueKeysWithValues: try members.map {
        ($0.key.string, try #require($0.node.string).bytes)
      })
  }
}

/// The Python that Config/setup makes, with Apple's library.
enum Python {
  struct Failed: Error { var status: Int32 }

  /// Runs Python with these arguments; what it prints. Its complaints go where ours go.
  static func run(_ arguments: [String]) throws -> [UInt8] {
    let path = try #require(
      ProcessInfo.processInfo.environment["OUTLAY_PYTHON"],
      "OUTLAY_PYTHON is unset: run Config/setup test, which installs what the tests need")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    return Array(said)
  }
}
