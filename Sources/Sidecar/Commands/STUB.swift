package import Metering

package func runServe(configurationPath: String?, environment: [String: String]) -> Int32 { 1 }
package func runVerify(configurationPath: String?, environment: [String: String]) -> Int32 { 1 }
extension Configuration {
  package static func load(
    _ bytes: [UInt8], defaults: ConfigurationDefaults, timeZoneExists: (String) -> Bool
  ) -> Result<Configuration, ConfigurationFaults> { .failure(ConfigurationFaults([])) }
  package func print() -> String { "" }
}
package enum ConfigurationFile {
  package enum Failure: Error { case unreadable(String), faulty([ConfigurationFault]) }
  package static func defaults(_ environment: [String: String]) -> ConfigurationDefaults {
    ConfigurationDefaults(socketPath: "/tmp/outlay.sock", storeDirectory: "")
  }
  package static func load(
    _ path: String?, environment: [String: String]
  ) -> Result<Configuration, Failure> { .failure(.unreadable("")) }
}
