extension Configuration {
  func printAppStore(to writer: inout JSONWriter) {
    if let appStore {
      writer.key("appStore")
      writer.beginObject()
      writer.entry("bundleIds", appStore.bundleIds)
      if let number = appStore.appAppleId { writer.entry("appAppleId", Int(number)) }
      writer.entry("rootCertificates", appStore.rootCertificates.map { ByteString($0) })
      writer.endObject()
    }
    writer.key("responder")
    writer.beginObject()
    writer.entry("mode", responder.mode.rawValue)
    writer.entry("listen", responder.listen)
    writer.entry("path", responder.path)
    writer.entry("metricsListen", responder.metricsListen)
    if let keyId = responder.keyId { writer.entry("keyId", keyId.string) }
    if let issuerId = responder.issuerId { writer.entry("issuerId", issuerId.string) }
    if let file = responder.privateKeyFile { writer.entry("privateKeyFile", file) }
    writer.key("hosts")
    writer.beginObject()
    writer.entry("production", responder.productionHost)
    writer.entry("sandbox", responder.sandboxHost)
    writer.endObject()
    if let file = responder.authorityFile { writer.entry("authorityFile", file) }
    writer.endObject()
  }
}

extension JSONWriter {
  mutating func entry(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  mutating func entry(_ name: String, _ value: Int) {
    key(name)
    number(value)
  }

  mutating func entry(_ name: String, _ texts: [ByteString]) {
    key(name)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }
}
