import Metering
import Testing

@Suite struct ConfigurationLoadTests {
  @Test func theContractsExampleLoads() throws {
    let configuration = try Sample.load(Sample.contract).get()
    #expect(configuration.socketPath == "/run/outlay/outlay.sock")
    #expect(configuration.socketMode == 0o660)
    #expect(configuration.meters["llm_tokens"]?.attributes == ["direction", "model"])
    #expect(configuration.meters["storage"]?.kind == .level)
    #expect(configuration.rates.map(\.printedPer) == ["1000000", "1 h", "1 GB.mo"])
    #expect(configuration.rates[1].price == Fraction(399, over: 360_000))
    let pass = configuration.products["com.example.pass"]?.first?.allowance["storage"]
    #expect(pass == Fraction(50_000_000_000) * Fraction(2_592_000))
    #expect(configuration.appStore?.bundleIds == ["com.example.app"])
    #expect(configuration.appStore?.appAppleId == 1_234_567_890)
    #expect(configuration.appStore?.rootCertificates == ["AppleRootCA-G3.pem"])
    #expect(configuration.responder.mode == .observe && configuration.responder.hasKey)
    #expect(configuration.responder.productionHost == "https://api.storekit.apple.com")
    #expect(configuration.reserved.count == 2)
  }

  @Test func onlyMetersAreRequired() throws {
    let configuration = try Sample.load("{ meters: { credits: { unit: '{credit}' } } }").get()
    var expected = Configuration(defaults: Sample.defaults)
    expected.meters = ["credits": Meter(name: "credits", unit: "{credit}")]
    #expect(configuration == expected)
    #expect(configuration.metricsListen == "127.0.0.1:9469")
    #expect(configuration.dedupeDays == 35 && configuration.retentionDays == 95)
  }

  @Test(arguments: [
    Sample.contract,
    "{ meters: {} }",
    """
    { meters: { "a b": { unit: "{x}", units: { k: "1e3", third: "0.333" } },
                disk: { unit: "{seat}", kind: "level" } },
      prices: [
        { meter: "a b", price: 1.50, per: 10, currency: "EUR", from: "2026-01-01T00:00:00+01:00" },
        { meter: "a b", price: "2", per: "1 k", currency: "EUR" },
        { meter: "disk", price: "0", per: "0.5 {seat}.d", currency: "EUR" } ],
      products: { "p\\"q": [ { from: "2026-01-01T00:00:00.000001Z", every: "P1Y2M3DT4H5M6S" },
                             { allowance: { disk: "0.1 {seat}.h", "a b": 7 } } ] },
      commission: [], tax: { DEU: 0.19 }, timeZone: "Europe/Berlin", socket: { group: "staff" },
      exchangeRates: [{ from: "EUR", to: "USD", rate: 1.1 }], environments: ["Sandbox"],
      decisions: { declineAt: 2, grantAtOrBelow: 1, byReason: { LEGAL: { declineAt: 3 } } },
      page: { showIds: true }, access: { emit: ["www-data", 33] },
      appStore: { bundleIds: ["a", "b"], rootCertificates: ["r.pem"] },
      responder: { mode: "send", listen: "[::1]:1", path: "/a/b", metricsListen: "127.0.0.1:2",
                   keyId: "k", issuerId: "i", privateKeyFile: "k.p8", authorityFile: "ca.pem",
                   hosts: { production: "https://[::1]:3", sandbox: "https://localhost:4" } } }
    """,
  ])
  func whatIsPrintedLoadsAgainToTheSame(text: String) throws {
    let configuration = try Sample.load(text).get()
    let elsewhere = ConfigurationDefaults(socketPath: "/other.sock", storeDirectory: "/other")
    let printed = configuration.print()
    #expect(try Sample.load(printed, defaults: elsewhere).get() == configuration, "\(printed)")
    _ = try JSONNode.parse(Array(printed.utf8), dialect: .strict)
  }

  @Test func theEnvironmentIsStrongerThanTheFile() throws {
    var defaults = Sample.defaults
    defaults.socketOverride = "/tmp/o.sock"
    defaults.storeOverride = "/tmp/store"
    defaults.metricsOverride = "[::1]:0"
    let configuration = try Sample.load(Sample.contract, defaults: defaults).get()
    #expect(configuration.socketPath == "/tmp/o.sock")
    #expect(configuration.storeDirectory == "/tmp/store")
    #expect(configuration.metricsListen == "[::1]:0")
  }

  @Test(arguments: [
    // The same attributes with different values can't both match.
    "{ where: { model: 'a' } }, { where: { model: 'b' } }",
    // A common attribute differs.
    "{ where: { model: 'a', direction: 'in' } }, { where: { model: 'b', tier: 'x' } }",
    // One is more specific.
    "{ where: { model: 'a' } }, { where: { direction: 'in', tier: 'x' } }",
    // The next of the same meter and where has another from.
    "{ where: { model: 'a' } }, { where: { model: 'a' }, from: '2026-01-01T00:00:00Z' }",
  ])
  func ratesThatCanStandSideBySide(entries: String) throws {
    let rest = "meter: 'm', price: '1', per: '1', currency: 'USD', "
    let list = entries.split(separator: "{ where").map { "{ \(rest) where\($0)" }.joined()
    let meters = "meters: { m: { unit: 'x', attributes: ['model', 'direction', 'tier'] } }"
    let loaded = try Sample.load("{ \(meters), prices: [\(list)] }").get()
    #expect(loaded.rates.count == 2)
  }

  @Test func overridingOneThresholdKeepsTheOther() throws {
    let text = Sample.withMeters(
      "decisions: { declineAt: 60000, byReason: { OTHER: { grantAtOrBelow: 5 } } }")
    let decisions = try Sample.load(text).get().decisions
    #expect(
      decisions.byReason == ["OTHER": Decisions.Thresholds(declineAt: 60_000, grantAtOrBelow: 5)])
  }

  @Test func aReloadKeepsWhatNeedsARestart() throws {
    let old = try Sample.load(Sample.contract).get()
    var new = try Sample.load(Sample.withMeters("timeZone: 'Europe/Berlin'")).get()
    new.dedupeDays = 36
    let notes = new.reloadFaults(from: old)
    #expect(
      notes.map { $0.prefix { $0 != ":" } } == [
        "socket.path", "store.directory", "store.dedupeDays",
      ])
    let merged = new.keepingWhatNeedsRestart(from: old)
    #expect(merged.reloadFaults(from: old) == [])
    #expect(merged.timeZone == "Europe/Berlin" && merged.rates == [])
  }
}
