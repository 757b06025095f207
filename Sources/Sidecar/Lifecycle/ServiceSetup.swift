import AppStore
import Metering

/// A configuration with what is made of the files that it names.
struct ServiceSetup {
  var configuration: Configuration
  /// The configuration's file.
  var path = ""
  /// Proves signed payloads; nil without the section `appStore`.
  var verifier: SignedDataVerifier?

  /// Loads `path`, else the file that `OUTLAY_CONFIG` names, and the roots that it names.
  /// `environments` are those in force, which only a restart changes; nil takes the
  /// configuration's.
  static func load(
    _ path: String?, environment: [String: String], environments: [ByteString]? = nil
  ) -> Result<ServiceSetup, ConfigurationFile.Failure> {
    let place = path ?? environment["OUTLAY_CONFIG"] ?? ""
    return ConfigurationFile.load(path, environment: environment).flatMap { configuration in
      guard let settings = configuration.appStore else {
        return .success(ServiceSetup(configuration: configuration, path: place))
      }
      let files = ConfiguredFiles(configurationPath: place, environment: environment)
      do throws(ConfigurationFaults) {
        let verifier = try verifier(
          settings, environments: environments ?? configuration.environments, files: files)
        return .success(ServiceSetup(configuration: configuration, path: place, verifier: verifier))
      } catch {
        return .failure(.faulty(error.faults))
      }
    }
  }

  private static func verifier(
    _ settings: AppStoreSettings, environments: [ByteString], files: ConfiguredFiles
  ) throws(ConfigurationFaults) -> SignedDataVerifier {
    var roots: [[UInt8]] = []
    var faults: [ConfigurationFault] = []
    for (number, name) in settings.rootCertificates.enumerated() {
      do throws(CommandFailure) {
        roots.append(try files.content(name, limit: AppStoreLimits.rootBytes))
      } catch {
        faults.append(fault(root: number, error.description))
      }
    }
    guard faults.isEmpty else { throw ConfigurationFaults(faults) }
    do throws(VerifierFault) {
      return try SignedDataVerifier(
        rootCertificates: roots, bundleIds: Set(settings.bundleIds),
        appAppleId: settings.appAppleId,
        environments: Set(environments.compactMap { StoreEnvironment($0) }))
    } catch {
      throw ConfigurationFaults([self.fault(error)])
    }
  }

  private static func fault(_ fault: VerifierFault) -> ConfigurationFault {
    switch fault {
    case .malformedRoot(let number):
      self.fault(root: number, "is neither one certificate in DER nor certificates in PEM")
    case .notRoot(let number):
      self.fault(root: number, "holds a certificate that isn't a root")
    case .noRoots: self.fault("appStore.rootCertificates", "must not be empty")
    case .noBundleIds: self.fault("appStore.bundleIds", "must not be empty")
    case .noAppAppleId: self.fault("appStore.appAppleId", "is missing")
    case .noEnvironments: self.fault("environments", "must not be empty")
    case .unavailable: self.fault("appStore", "can't be set up: no memory is left")
    }
  }

  private static func fault(root number: Int, _ message: String) -> ConfigurationFault {
    fault("appStore.rootCertificates[\(number)]", message)
  }

  private static func fault(_ path: String, _ message: String) -> ConfigurationFault {
    ConfigurationFault(path: path, line: 0, column: 0, message: message)
  }
}
