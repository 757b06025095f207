import Foundation
import Glibc

/// The built binary, driven over its socket by plain HTTP.
final class ProcessSubject: Subject {
  let directory: String
  private(set) var process: pid_t = 0
  private let binary: String
  private var reloads = 0
  /// A hundred in a second.
  private static let looks = 12_000

  var client: SocketClient { SocketClient(path: directory + "/s") }
  private var file: String { directory + "/outlay.json5" }

  /// Starts the binary that OUTLAY_BINARY names on a fresh store.
  init(_ configuration: ReferenceConfiguration) throws {
    guard let binary = Chance.variable("OUTLAY_BINARY") else {
      throw SubjectFault(description: "OUTLAY_BINARY names no binary")
    }
    self.binary = binary
    var template = Array("/tmp/outlay-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SubjectFault(description: "no scratch directory") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try write(configuration)
    try start()
  }

  deinit {
    if process > 0 { _ = try? stop(SIGKILL) }
    try? FileManager.default.removeItem(atPath: directory)
  }

  var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  func send(_ lines: [String]) throws -> BatchAnswer {
    let body = lines.joined(separator: "\n") + "\n"
    let reply = try client.request(
      "POST", "/v1/events", type: "application/x-ndjson", body: body)
    guard [200, 422].contains(reply.status), let json = TinyJSON(reply.body) else {
      throw SubjectFault(description: "events answered \(reply.status): \(reply.body)")
    }
    var answer = BatchAnswer()
    answer.accepted = json["accepted"]?.integer ?? -1
    answer.duplicates = json["duplicates"]?.integer ?? -1
    answer.conflicts = json["conflicts"]?.integer ?? -1
    answer.rejected = json["rejected"]?.integer ?? -1
    answer.results = (json["results"]?.elements ?? []).map { result in
      let isConflict = result["verdict"]?.text == "conflict"
      return BatchAnswer.Result(
        index: result["index"]?.integer ?? -1,
        verdict: isConflict ? "conflict" : result["code"]?.text ?? "")
    }
    return answer
  }

  func put(_ change: Change) throws -> Int {
    let id: String
    let aspect: String
    let body: String
    switch change {
    case .purchase(let purchase): (id, aspect, body) = (purchase.id, "", purchase.payload)
    case .delivery(let named, let status):
      (id, aspect, body) = (named, "/delivery", "{\"deliveryStatus\":\"\(status)\"}")
    case .customer(let named, let customer):
      (id, aspect, body) = (named, "/customer", "{\"customer\":\(TinyJSON.quoted(customer))}")
    case .allowance(let named, let amounts):
      let members = amounts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
      (id, aspect, body) = (named, "/allowance", "{\(members.joined(separator: ","))}")
    }
    let target = "/v1/transactions/\(SocketClient.segment(id))\(aspect)"
    return try client.request("PUT", target, body: body).status
  }

  func consumption(_ id: String) throws -> String? {
    let target = "/v1/transactions/\(SocketClient.segment(id))/consumption"
    let reply = try client.request("GET", target)
    if reply.status == 404 { return nil }
    guard reply.status == 200 else {
      throw SubjectFault(description: "\(target) answered \(reply.status): \(reply.body)")
    }
    return reply.body
  }

  func unattributed(_ customer: String) throws -> [String: Exact] {
    let reply = try client.request("GET", "/v1/customers/\(SocketClient.segment(customer))")
    var sums: [String: Exact] = [:]
    for entry in TinyJSON(reply.body)?["unattributed"]?.elements ?? [] {
      sums[entry["meter"]?.text ?? "", default: .zero] += entry.amount("quantity")
    }
    return sums
  }

  func restart(killing: Bool) throws {
    try stop(killing ? SIGKILL : SIGTERM)
    try start()
  }

  /// Flushes and merges happen by themselves; no door asks for them.
  func flush() throws {}
  func merge() throws {}

  /// SIGHUP says nothing back: a meter that only the new configuration has tells when it rules.
  func reload(_ configuration: ReferenceConfiguration) throws {
    reloads += 1
    let probe = "probe_\(reloads)"
    try write(configuration, probe: probe)
    kill(process, SIGHUP)
    let line =
      "{\"id\":\"\(probe)\",\"source\":\"probe\",\"transactionId\":\"probe\","
      + "\"meter\":\"\(probe)\",\"quantity\":1,\"unit\":\"no such unit\"}"
    try wait(for: "the reload") { try self.send([line]).results.first?.verdict == "unknown_unit" }
  }

  /// Sends a signal and waits for the end.
  @discardableResult
  func stop(_ signal: Int32) throws -> Int32 {
    var status: Int32 = 0
    kill(process, signal)
    guard waitpid(process, &status, 0) == process else {
      throw SubjectFault(description: "waiting for the end failed, error \(errno)")
    }
    process = 0
    return status
  }

  func start() throws {
    process = try Self.spawn(binary, ["serve", "--config", file], environment: environment())
    try wait(for: "readiness") {
      (try? self.client.request("GET", "/readyz"))?.status == 200
    }
  }

  /// Starts another instance and waits for its end; nil while it still runs after two minutes.
  func startSecond(socket: String, store: String) throws -> Int32? {
    let other = try Self.spawn(
      binary, ["serve", "--config", file], environment: environment(socket: socket, store: store))
    var status: Int32 = 0
    for _ in 0..<Self.looks {
      if waitpid(other, &status, WNOHANG) == other { return status }
      poll(nil, 0, 10)
    }
    kill(other, SIGKILL)
    waitpid(other, &status, 0)
    return nil
  }

  private func environment(socket: String = "s", store: String = "store") -> [String] {
    [
      "OUTLAY_SOCKET=\(directory)/\(socket)", "OUTLAY_STORE=\(directory)/\(store)",
      "OUTLAY_METRICS_LISTEN=127.0.0.1:0", "PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no",
    ] + Self.clock
  }

  /// The wall clock that the tests run under, which may be another than the machine's.
  private static let clock = ["LD_PRELOAD", "CLOCK_AHEAD"].compactMap { name in
    Chance.variable(name).map { "\(name)=\($0)" }
  }

  /// Asks until it holds, for two minutes at most: a busy machine takes its time.
  func wait(for what: String, until holds: () throws -> Bool) throws {
    for _ in 0..<Self.looks {
      if try holds() { return }
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        process = 0
        throw SubjectFault(description: "the process ended while waiting for \(what): \(status)")
      }
      // The other process has nothing that this one could block on.
      poll(nil, 0, 10)
    }
    throw SubjectFault(description: "gave up waiting for \(what)")
  }

  private func write(_ configuration: ReferenceConfiguration, probe: String? = nil) throws {
    guard let stream = fopen(file, "w") else {
      throw SubjectFault(description: "can't write \(file)")
    }
    fputs(configuration.text(probe: probe), stream)
    fclose(stream)
  }

  /// Starts a program with exactly this environment; its output goes where the tests' goes.
  static func spawn(
    _ program: String, _ arguments: [String], environment: [String]
  ) throws -> pid_t {
    var process: pid_t = 0
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    let result = posix_spawn(&process, program, nil, nil, words, variables)
    guard result == 0 else { throw SubjectFault(description: "can't start \(program): \(result)") }
    return process
  }
}
