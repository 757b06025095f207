import Foundation
import Metering
import Store

/// `outlay verify`: recomputes what the books say from the journal, and compares.
package enum VerifyCommand {
  /// Verifies the store in `store`, else the one that the configuration or the environment names.
  /// Returns 0 when nothing differs, 1 when something does. Throws when the configuration or the
  /// store can't be read.
  package static func run(
    store: String?, configuration: String?, asJSON: Bool, environment: [String: String]
  ) throws -> Int32 {
    let place = try StorePlace.find(
      store: store, configuration: configuration, environment: environment)
    return try verify(
      place, StorePlace.configuration(configuration, environment: environment), asJSON: asJSON)
  }

  /// Prints what was compared and what differs; the store may be in use.
  private static func verify(
    _ directory: String, _ configuration: Configuration?, asJSON: Bool
  ) throws -> Int32 {
    var line = PercentLine()
    let found = try Verification.run(
      directory: directory, disk: LinuxDisk(root: directory, isReadOnly: true),
      configuration: configuration, scratch: NSTemporaryDirectory()
    ) {
      line.show("verifying", $0)
    }
    line.clear()
    if asJSON {
      Console.print(json(found))
    } else {
      Console.print(
        "\(found.events) events up to entry \(found.sequence): \(found.purchases) purchases, "
          + "\(found.sums) sums, \(found.waiting) waiting readings compared\n")
      Console.print(figures(found, isConfigured: configuration != nil))
      for difference in found.differences { Console.complain(difference) }
      Console.print(
        found.differenceCount == 0
          ? "the books agree with the journal\n"
          : "\(found.differenceCount) differences\n")
    }
    return found.differenceCount == 0 ? ExitCode.success : ExitCode.failure
  }

  /// What became of the figures that need a configuration.
  private static func figures(_ found: Verification, isConfigured: Bool) -> String {
    if let figures = found.figures { return "figures of \(figures) purchases reckoned again\n" }
    return isConfigured
      ? "figures of purchases weren't reckoned again: the store is kept under another "
        + "configuration, or isn't at rest\n"
      : "figures of purchases weren't reckoned again: that takes --config\n"
  }

  private static func json(_ found: Verification) -> String {
    let differences = found.differences.map { "\"\(escaped($0))\"" }.joined(separator: ",")
    return "{\"sequence\":\(found.sequence),\"events\":\(found.events),"
      + "\"purchases\":\(found.purchases),\"sums\":\(found.sums),"
      + "\"waiting\":\(found.waiting),"
      + "\"figures\":\(found.figures.map(String.init) ?? "null"),\"differenceCount\":\(found.differenceCount),"
      + "\"differences\":[\(differences)]}\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"")
  }
}
