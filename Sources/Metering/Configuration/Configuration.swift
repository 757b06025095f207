/// Everything that the operator decides. Loaded as a whole or not at all.
package struct Configuration: Equatable, Sendable {
  /// Where `serve` listens.
  package var socketPath: String
  /// Permission bits of the socket.
  package var socketMode: UInt32 = 0o660
  /// Group of the socket, by name or number; nil keeps the process's.
  package var socketGroup: String?
  /// Address and port of the metrics listener.
  package var metricsListen = "127.0.0.1:9469"
  /// Where the journal and the ledger live.
  package var storeDirectory: String
  /// How long event ids are remembered, days.
  package var dedupeDays = 35
  /// How long single events are kept, days; never fewer than ``dedupeDays``.
  package var retentionDays = 95
  /// Environments that are taken, in the order of the file.
  package var environments: [ByteString] = [Purchase.production, Purchase.sandbox]
  /// IANA name of the zone whose days and months the costs have.
  package var timeZone = "UTC"
  /// How long after a purchase its money can go back, days.
  package var refundWindowDays = 90
  /// Currency that figures are converted to where a rate is stated.
  package var reportingCurrency: ByteString = "USD"
  /// Meters by name.
  package var meters: [ByteString: Meter] = [:]
  /// The price book in the order of the file. Setting it sets every rate's ``Rate/until``.
  package var rates: [Rate] = [] {
    didSet {
      rates = Rate.settingEnds(of: rates)
      ratesByMeter = Dictionary(grouping: rates, by: \.meter)
    }
  }
  /// The same rates, for looking up.
  private(set) var ratesByMeter: [ByteString: [Rate]] = [:]
  /// Terms by product, by their `from`.
  package var products: [ByteString: [ProductTerms]] = [:]
  /// Shares of the store in the order of the file; without any in the file, Apple's standard.
  package var commissions: [Commission] = Commission.standard
  /// Tax contained in the price, 0…1, by storefront.
  package var tax: [ByteString: Fraction] = [:]
  /// Stated exchange rates in the order of the file.
  package var exchangeRates: [ExchangeRate] = []
  /// Thresholds of the proposed answer.
  package var decisions = Decisions()
  /// Whether the page shows ids of transactions and customers.
  package var showsIdentifiers = false
  /// Whose signed payloads are believed; nil takes none.
  package var appStore: AppStoreSettings?
  /// How `outlay respond` works.
  package var responder = ResponderSettings()
  /// Sections whose work hasn't come yet, as compact JSON by key: accepted and printed, not used.
  package var reserved: [ByteString: ByteString] = [:]

  /// Only the defaults, with no meters.
  package init(defaults: ConfigurationDefaults) {
    socketPath = defaults.socketPath
    storeDirectory = defaults.storeDirectory
  }
}
