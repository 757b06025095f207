import Foundation
import Glibc

/// Files that the configuration names.
struct ConfiguredFiles {
  private let folder: String
  private let credentials: String?

  /// Relative names are looked for in systemd's credentials first, then beside the configuration.
  init(configurationPath: String, environment: [String: String]) {
    folder = URL(fileURLWithPath: configurationPath).deletingLastPathComponent().path
    credentials = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Where a name of the configuration leads.
  func path(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    if let credentials, FileManager.default.fileExists(atPath: "\(credentials)/\(name)") {
      return "\(credentials)/\(name)"
    }
    return "\(folder)/\(name)"
  }

  /// The content of any file. Throws when it can't be read or is longer than the limit.
  func content(_ name: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    try read(path(name), limit: limit) { _ in nil }
  }

  /// The content of a file that only its owner may read. Throws for any other.
  func secret(_ name: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    let path = path(name)
    // systemd lets the service's user in by an access list, which shows as the group's bit.
    let isCredential = credentials.map { path.hasPrefix($0 + "/") } ?? false
    let forbidden: mode_t = isCredential ? 0o037 : 0o077
    return try read(path, limit: limit) { status in
      if status.st_mode & forbidden != 0 {
        return "others than its owner may use it; chmod 600 it"
      }
      return [geteuid(), 0].contains(status.st_uid) ? nil : "it belongs to another user"
    }
  }

  private func read(
    _ path: String, limit: Int, objection: (stat) -> String?
  ) throws(CommandFailure) -> [UInt8] {
    // A pipe by that name is refused below; opening it must not wait for somebody who writes.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure("\(path) can't be read: \(CommandSystem.lastError)")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure("\(path) is no file")
    }
    if let message = objection(status) { throw CommandFailure("\(path): \(message)") }
    var buffer = [UInt8](repeating: 0, count: limit + 1)
    var content: [UInt8] = []
    while let count = CommandSystem.read(descriptor, into: &buffer), count > 0 {
      content += buffer[..<count]
      if content.count > limit { throw CommandFailure("\(path) is longer than \(limit) bytes") }
    }
    return content
  }
}
