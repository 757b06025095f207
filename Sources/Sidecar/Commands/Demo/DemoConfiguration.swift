/// The configuration of the demonstration, as members of a JSON5 object.
enum DemoConfiguration {
  /// Apple's side: the root that signs its payloads, and the key that signs calls to it.
  static let rootFile = "root.der"
  static let keyFile = "key.p8"

  static let body = """
      meters: {
        credits: { unit: "{credit}" },
        generations: { unit: "{generation}" },
        llm_tokens: { unit: "{token}", attributes: ["model", "direction"] },
        gpu_time: { unit: "s", units: { min: "60", h: "3600" }, attributes: ["gpu"] },
        storage: { unit: "By", kind: "level" },
        moderation: { unit: "{request}" },
      },
      prices: [
        { meter: "llm_tokens", where: { model: "gpt-4o", direction: "input" },
          price: "2.50", per: "1000000", currency: "USD" },
        { meter: "llm_tokens", where: { model: "gpt-4o", direction: "output" },
          price: "10.00", per: "1000000", currency: "USD" },
        { meter: "gpu_time", where: { gpu: "l4" }, price: "0.80", per: "1 h", currency: "USD" },
        { meter: "gpu_time", where: { gpu: "h100" }, price: "3.99", per: "1 h", currency: "USD" },
        { meter: "storage", price: "0.023", per: "1 GB.mo", currency: "USD" },
      ],
      products: {
        "com.example.credits.5000": { allowance: { credits: "5000" } },
        "com.example.studio.monthly": { allowance: { generations: "1000" } },
      },
      appStore: {
        bundleIds: ["com.example.app"], appAppleId: 1234567890,
        rootCertificates: ["\(rootFile)"],
      },
      responder: {
        mode: "send", listen: "127.0.0.1:0", metricsListen: "127.0.0.1:0",
        keyId: "DEMONSTRATE", issuerId: "demonstration", privateKeyFile: "\(keyFile)",
      },
    """
}
