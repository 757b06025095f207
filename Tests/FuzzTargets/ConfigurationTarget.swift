import Metering

extension FuzzTarget {
  /// A configuration file: what loads is printed as strict JSON that loads to the same.
  static let configuration = FuzzTarget(
    name: "configuration", goal: "loaded",
    words: [
      "meters:", "prices:", "products:", "unit:", "units:", "kind: 'level'", "where:", "per:",
      "price:", "currency: 'USD'", "from: '2026-01-01T00:00:00Z'", "allowance:", "every: 'P1M'",
      "duration: 'P30D'", "priority:", "commission:", "rate: '0.15'", "tax:", "exchangeRates:",
      "decisions:", "byReason:", "cloudEvents:", "appStore:", "responder:", "listen: '[::1]:1'",
      "socket:", "mode: '0660'", "store:", "dedupeDays:", "'1 GB.mo'", "'P1Y2M3DT4H5M6S'",
      "9223372036854775807", "'1e18'", "null", "{", "}", "[", "]", ",",
    ],
    seeds: { configurationSamples.map { Array(text: $0) } }
  ) { input, run in
    let defaults = ConfigurationDefaults(socketPath: "/s", storeDirectory: "/d")
    func load(_ bytes: [UInt8]) -> Configuration? {
      let loaded = Configuration.load(bytes, defaults: defaults) { $0 == "UTC" }
      if case .failure(let faults) = loaded {
        run.require(!"\(faults)".isEmpty, "a refusal says why")
        return nil
      }
      return try? loaded.get()
    }
    guard let configuration = load(Array(input)) else { return }
    run.reach("loaded")
    let printed = Array(text: configuration.print() + (run.takesTwin ? "]" : ""))
    run.agree(load(printed), configuration, "a configuration printed and loaded")
  }

  static let configurationSamples = [
    """
    { meters: {
        llm_tokens: { unit: "{token}", attributes: ["model", "direction"] },
        gpu_time: { unit: "s", units: { min: "60", h: "3600" }, attributes: ["gpu"] },
        storage: { unit: "By", kind: "level", attributes: ["object"] },
        credits: { unit: "{credit}" } },
      prices: [
        { meter: "llm_tokens", where: { model: "gpt-4o" }, price: "10.00", per: "1000000",
          currency: "USD", from: "2026-01-01T00:00:00Z" },
        { meter: "gpu_time", price: "3.99", per: "1 h", currency: "USD" },
        { meter: "storage", price: "0.023", per: "1 GB.mo", currency: "USD" } ],
      products: {
        "com.example.credits.5000": { allowance: { credits: "5000" }, priority: 1 },
        "com.example.pro": { allowance: { llm_tokens: "1000000" }, every: "P1M" },
        "com.example.pass": { allowance: { storage: "50 GB.mo" }, duration: "P30D" } },
      commission: [{ rate: "0.30" }, { types: ["Auto-Renewable Subscription"],
        afterPaidDays: 365, rate: "0.15" }],
      tax: { NLD: "0.21" }, timeZone: "UTC", reportingCurrency: "USD",
      exchangeRates: [{ from: "EUR", to: "USD", rate: "1.08", since: "2026-01-01T00:00:00Z" }] }
    """,
    """
    { meters: { m: { unit: "x" } }, socket: { path: "/s", mode: "0660", group: "staff" },
      metrics: { listen: "127.0.0.1:9469" },
      store: { directory: "/d", dedupeDays: 35, retentionDays: 95 },
      environments: ["Sandbox"], refundWindowDays: 90, page: { showIds: true },
      decisions: { declineAt: 70000, grantAtOrBelow: 0, byReason: { LEGAL: { declineAt: 3 } } },
      access: { emit: ["www-data", 33] },
      appStore: { bundleIds: ["a"], appAppleId: 1, rootCertificates: ["r.pem"] },
      responder: { mode: "send", listen: "[::1]:1", path: "/a", keyId: "k", issuerId: "i",
        privateKeyFile: "k.p8", hosts: { production: "https://[::1]:3" } } }
    """,
    "{ meters: {} }",
  ]
}
