/// The sections about the App Store.
extension ConfigurationReader {
  mutating func appStore(
    _ place: ConfigurationPlace?, environments: [ByteString]
  ) -> AppStoreSettings? {
    let keys = ["bundleIds", "appAppleId", "rootCertificates"]
    guard let place, let object = object(place, keys: keys) else { return nil }
    let bundleIds = texts(required("bundleIds", in: object))
    let roots = texts(required("rootCertificates", in: object))
    let appleId = integer(object["appAppleId"], in: 1...Int.max)
    if object["appAppleId"] == nil, environments.contains(Purchase.production) {
      fault(
        path: place.path(of: "appAppleId"), at: place.node,
        "is missing; only without Production among the environments it isn't needed")
    }
    guard let bundleIds, let roots else { return nil }
    var settings = AppStoreSettings(
      bundleIds: bundleIds, rootCertificates: roots.map(\.string))
    settings.appAppleId = appleId.map(Int64.init)
    return settings
  }

  /// Texts that aren't empty, at least one, each once.
  private mutating func texts(_ place: ConfigurationPlace?) -> [ByteString]? {
    guard let place, let elements = list(place) else { return nil }
    if elements.isEmpty { fault(place, "must not be empty") }
    var found: [ByteString] = []
    for element in elements {
      guard let text = text(element) else { continue }
      if found.contains(text) { fault(element, "appears twice") } else { found.append(text) }
    }
    return found
  }

  mutating func responder(
    _ place: ConfigurationPlace?, appStore: ConfigurationPlace?
  ) -> ResponderSettings {
    var settings = ResponderSettings()
    let keys = [
      "mode", "listen", "path", "metricsListen", "keyId", "issuerId", "privateKeyFile", "hosts",
      "authorityFile",
    ]
    guard let place, let object = object(place, keys: keys) else { return settings }
    let modes = ResponderSettings.Mode.allCases.map { ByteString($0.rawValue) }
    if let word = choice(object["mode"], of: modes) {
      settings.mode = ResponderSettings.Mode(rawValue: word.string) ?? .observe
    }
    if let address = address(object["listen"]) { settings.listen = address }
    if let address = address(object["metricsListen"]) { settings.metricsListen = address }
    if let path = path(object["path"]) { settings.path = path }
    settings.keyId = text(object["keyId"])
    settings.issuerId = text(object["issuerId"])
    settings.privateKeyFile = text(object["privateKeyFile"])?.string
    settings.authorityFile = text(object["authorityFile"])?.string
    hosts(object["hosts"], into: &settings)
    if settings.mode == .send { requireKey(object, appStore) }
    return settings
  }

  private mutating func requireKey(_ object: ConfigurationObject, _ appStore: ConfigurationPlace?) {
    for key in ["keyId", "issuerId", "privateKeyFile"] { _ = required(key, in: object) }
    if appStore == nil {
      fault(
        path: "appStore", at: object.place.node,
        "is missing; the responder's mode \"send\" needs the app's bundle id")
    }
  }

  private mutating func hosts(
    _ place: ConfigurationPlace?, into settings: inout ResponderSettings
  ) {
    guard let place, let object = object(place, keys: ["production", "sandbox"]) else { return }
    if let origin = origin(object["production"]) { settings.productionHost = origin }
    if let origin = origin(object["sandbox"]) { settings.sandboxHost = origin }
  }

  /// An HTTPS origin: what is sent there carries a token that must not be read on the way.
  private mutating func origin(_ place: ConfigurationPlace?) -> String? {
    guard let place, let text = text(place)?.string else { return nil }
    let scheme = "https://"
    let host = text.dropFirst(scheme.count).utf8
    let isHost = host.allSatisfy { byte in
      ".-:[]".utf8.contains(byte) || (0x30...0x39).contains(byte)
        || (0x61...0x7A).contains(byte | 0x20)
    }
    if text.hasPrefix(scheme), !host.isEmpty, isHost { return text }
    fault(place, "must be an origin such as \"https://api.storekit.apple.com\", without a path")
    return nil
  }

  /// An absolute path of characters that need no escape.
  private mutating func path(_ place: ConfigurationPlace?) -> String? {
    guard let place, let text = text(place)?.string else { return nil }
    let isPlain = text.utf8.allSatisfy { byte in
      "/-._~".utf8.contains(byte) || (0x30...0x39).contains(byte)
        || (0x61...0x7A).contains(byte | 0x20)
    }
    if text.hasPrefix("/"), isPlain { return text }
    fault(place, "must be a path such as \"/notifications\"")
    return nil
  }
}
