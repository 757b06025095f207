import Metering

/// Loading as the tests do it.
enum Sample {
  static let defaults = ConfigurationDefaults(
    socketPath: "/run/user/1000/outlay.sock", storeDirectory: "/home/me/.local/state/outlay")

  static func load(
    _ text: String, defaults: ConfigurationDefaults = Sample.defaults
  ) -> Result<Configuration, ConfigurationFaults> {
    Configuration.load(Array(text.utf8), defaults: defaults) {
      ["UTC", "Europe/Berlin"].contains($0)
    }
  }

  /// The meters of the contract's example, before further members.
  static func withMeters(_ members: String) -> String { "{ \(meters), \(members) }" }

  static let meters = """
    meters: {
      llm_tokens: { unit: "{token}", attributes: ["model", "direction"] },
      gpu_time:   { unit: "s", units: { min: "60", h: "3600" }, attributes: ["gpu"] },
      storage:    { unit: "By", kind: "level", attributes: ["object"] },
      credits:    { unit: "{credit}" },
    }
    """

  /// The configuration that the public contract shows, with its long lines broken.
  static let contract = """
    {
      socket:  { path: "/run/outlay/outlay.sock", mode: "0660", group: null },
      metrics: { listen: "127.0.0.1:9469" },
      store:   { directory: "/var/lib/outlay", dedupeDays: 35, retentionDays: 95 },  // comment
      environments: ["Production", "Sandbox"],
      timeZone: "UTC", refundWindowDays: 90, reportingCurrency: "USD",
      \(meters),
      prices: [
        { meter: "llm_tokens", where: { model: "gpt-4o", direction: "output" },
        price: "10.00", per: "1000000", currency: "USD", from: "2026-01-01T00:00:00Z" },
        { meter: "gpu_time", price: "3.99", per: "1 h", currency: "USD" },
        { meter: "storage", price: "0.023", per: "1 GB.mo", currency: "USD" },
      ],
      products: {
        "com.example.credits.5000": { allowance: { credits: "5000" }, priority: 1,
        deliveredOnPurchase: true, sampleContentProvided: false },
        "com.example.pro":          { allowance: { llm_tokens: "1000000" }, every: "P1M" },
        "com.example.pass":         { allowance: { storage: "50 GB.mo" }, duration: "P30D" },
      },
      commission: [{ rate: "0.30" }, { types: ["Auto-Renewable Subscription"],
        afterPaidDays: 365, rate: "0.15" }],
      tax: { NLD: "0.21" },
      exchangeRates: [{ from: "EUR", to: "USD", rate: "1.08", since: "2026-01-01T00:00:00Z" }],
      decisions: { declineAt: 70000, grantAtOrBelow: 0, staleAfterMinutes: 60, byReason: {} },
      cloudEvents: [{ type: "prompt", subject: "customer",
        readings: [{ meter: "llm_tokens", quantity: "/data/tokens",
          attributes: { model: "/data/model" } }] }],
      page: { showIds: false },
      appStore: { bundleIds: ["com.example.app"], appAppleId: 1234567890,
        rootCertificates: ["AppleRootCA-G3.pem"] },
      access: { emit: [], read: [], respond: [], admin: [] },
      responder: { mode: "observe", listen: "127.0.0.1:8469",
        keyId: "…", issuerId: "…", privateKeyFile: "…" },
    }
    """
}
