import AppStore
import Metering
import Wire

/// What a subcommand needs for asking Apple itself.
package struct AppStoreSession {
  let connection: AppStoreConnection
  let configuration: Configuration
  private let files: ConfiguredFiles

  /// Loads the configuration and the key. Throws what is missing.
  package init(file: String?, environment: [String: String]) throws {
    let configuration: Configuration
    let path = file ?? environment["OUTLAY_CONFIG"] ?? ""
    switch ConfigurationFile.load(file, environment: environment) {
    case .failure(let failure):
      throw CommandFailure(failure.lines(of: path).joined(separator: "\n"))
    case .success(let loaded): configuration = loaded
    }
    let files = ConfiguredFiles(configurationPath: path, environment: environment)
    guard let credentials = try APICredentials(configuration, files: files) else {
      throw CommandFailure(
        "\(path): this needs appStore, and responder's keyId, issuerId and privateKeyFile")
    }
    let state = ResponderState(mode: configuration.responder.mode)
    connection = AppStoreConnection(
      configuration.responder, signers: try APISigners(credentials),
      transport: try HTTPSClient.toAppStore(
        authorityFile: configuration.responder.authorityFile, files: files), state: state)
    self.configuration = configuration
    self.files = files
  }

  /// The environment of a word of the command line, Production without one. Throws for other words.
  static func environment(_ word: String?) throws(UsageFault) -> StoreEnvironment {
    guard let word else { return .production }
    guard let found = StoreEnvironment(rawValue: word) else {
      throw UsageFault("--environment is Production or Sandbox")
    }
    return found
  }

  /// The app asked about: the one named, else the only one. Throws when it isn't clear.
  func bundleId(_ given: String?) throws(CommandFailure) -> ByteString {
    let known = configuration.appStore?.bundleIds ?? []
    if let given {
      guard known.contains(ByteString(given)) else {
        throw CommandFailure("\(given) is none of appStore.bundleIds")
      }
      return ByteString(given)
    }
    guard known.count == 1, let only = known.first else {
      let names = known.map(\.string).joined(separator: ", ")
      throw CommandFailure("--bundle is needed, one of \(names)")
    }
    return only
  }

  /// Proves signed payloads by the configuration's roots. Throws when they can't be used.
  func verifier() throws -> SignedDataVerifier {
    guard let settings = configuration.appStore else { throw VerifierFault.noRoots }
    let roots = try settings.rootCertificates.map {
      try files.content($0, limit: AppStoreLimits.rootBytes)
    }
    return try SignedDataVerifier(
      rootCertificates: roots, bundleIds: Set(settings.bundleIds),
      appAppleId: settings.appAppleId, environments: Set(StoreEnvironment.allCases))
  }
}
