/// The sections that say how the program runs.
extension ConfigurationReader {
  mutating func socket(_ place: ConfigurationPlace?, into configuration: inout Configuration) {
    guard let place, let object = object(place, keys: ["path", "mode", "group"]) else { return }
    if let path = object["path"], let text = text(path) {
      if let message = Self.objection(toSocketPath: text.string) { fault(path, message) }
      configuration.socketPath = text.string
    }
    if let mode = object["mode"] {
      if let bits = Self.mode(mode.node.string) {
        configuration.socketMode = bits
      } else {
        fault(mode, "must be an octal string such as \"0660\"")
      }
    }
    if let group = object["group"], !group.node.isNull {
      configuration.socketGroup = text(group)?.string
    }
  }

  static func objection(toSocketPath path: String) -> String? {
    if path.hasPrefix("@") || path.utf8.contains(0) {
      return "must be a file's path: an abstract socket has no mode that keeps others out"
    }
    return path.utf8.count > Limits.socketPathBytes
      ? "must have at most \(Limits.socketPathBytes) bytes, as Unix sockets have" : nil
  }

  private static func mode(_ text: ByteString?) -> UInt32? {
    guard let text, (3...4).contains(text.count),
      text.bytes.allSatisfy({ (0x30...0x37).contains($0) }),
      let bits = UInt32(text.string, radix: 8), bits <= 0o777
    else { return nil }
    return bits
  }

  mutating func metrics(_ place: ConfigurationPlace?, into configuration: inout Configuration) {
    guard let place, let object = object(place, keys: ["listen"]) else { return }
    if let listen = address(object["listen"]) { configuration.metricsListen = listen }
  }

  mutating func store(_ place: ConfigurationPlace?, into configuration: inout Configuration) {
    let keys = ["directory", "dedupeDays", "retentionDays"]
    guard let place, let object = object(place, keys: keys) else { return }
    if let directory = text(object["directory"]) {
      configuration.storeDirectory = directory.string
    }
    if let days = integer(object["dedupeDays"], in: 1...Limits.windowDays) {
      configuration.dedupeDays = days
    }
    if let days = integer(object["retentionDays"], in: 1...Limits.windowDays) {
      configuration.retentionDays = days
    }
    if configuration.retentionDays < configuration.dedupeDays {
      fault(
        object["retentionDays"] ?? object["dedupeDays"] ?? place,
        "retentionDays (\(configuration.retentionDays)) must not be below dedupeDays "
          + "(\(configuration.dedupeDays))")
    }
  }

  mutating func zone(
    _ place: ConfigurationPlace?, exists: (String) -> Bool,
    into configuration: inout Configuration
  ) {
    guard let place, let zone = text(place)?.string else { return }
    if exists(zone) {
      configuration.timeZone = zone
    } else {
      fault(place, "there is no time zone \"\(zone)\"")
    }
  }

  /// What the program's environment says is stronger than the file.
  mutating func override(
    _ configuration: inout Configuration, by defaults: ConfigurationDefaults
  ) {
    if let path = defaults.socketOverride { configuration.socketPath = path }
    if let directory = defaults.storeOverride { configuration.storeDirectory = directory }
    if let listen = defaults.metricsOverride { configuration.metricsListen = listen }
    if defaults.socketOverride == "" { fault(outside: "OUTLAY_SOCKET", "must not be empty") }
    if defaults.storeOverride == "" { fault(outside: "OUTLAY_STORE", "must not be empty") }
    if let path = defaults.socketOverride, let message = Self.objection(toSocketPath: path) {
      fault(outside: "OUTLAY_SOCKET", message)
    }
    // Empty only where there is no default: a file can't name an empty one.
    for (key, path, override) in [
      ("socket.path", configuration.socketPath, defaults.socketOverride),
      ("store.directory", configuration.storeDirectory, defaults.storeOverride),
    ] where path.isEmpty && override == nil {
      fault(outside: key, "is missing, and without HOME there is no place of your own for it")
    }
    if let listen = defaults.metricsOverride, !Self.isAddress(listen) {
      fault(outside: "OUTLAY_METRICS_LISTEN", Self.addressMessage)
    }
  }
}
