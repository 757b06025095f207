import Foundation
import Metering

/// `outlay check`: every fault of a configuration at once.
package enum CheckCommand {
  /// Names faults on standard error, or prints what is in force. Returns 0 or 78.
  /// Throws when the file can't be read.
  package static func run(
    file: String, prints: Bool, environment: [String: String]
  ) throws(CommandFailure) -> Int32 {
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    } catch {
      throw CommandFailure("can't read \(file): \(error.localizedDescription)")
    }
    let loaded = Configuration.load(
      bytes, defaults: ConfigurationDefaults(environment: environment),
      timeZoneExists: { TimeZone(identifier: $0) != nil })
    switch loaded {
    case .success(let configuration):
      if prints { Console.print(configuration.print()) }
      return ExitCode.success
    case .failure(let faults):
      for fault in faults.faults { Console.complain("\(file):\(fault)") }
      return ExitCode.configuration
    }
  }
}
