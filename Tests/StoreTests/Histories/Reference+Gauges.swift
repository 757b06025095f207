import Metering
import Store

/// What gauges of sums should tell, reading by reading.
extension Reference {
  /// Cost by meter, product, currency and environment, and unpriced quantities by meter; nothing is
  /// zero.
  func gauges() -> [String: Exact] {
    var sums: [String: Exact] = [:]
    for id in bookedIds {
      let known = purchases[id]
      let place = known.map { "\(named($0.product)) \($0.environment)" } ?? " unknown"
      for item in self.sums(of: id) { add(item, place, to: &sums) }
    }
    for item in waiting { add(item, " unknown", to: &sums) }
    return sums.filter { $0.value != .zero }
  }

  /// Products that the configuration doesn't name are told together.
  private func named(_ product: String) -> String {
    configuration.products[product] == nil ? "_other" : product
  }

  private func add(_ item: Priced, _ place: String, to sums: inout [String: Exact]) {
    if let own = item.own {
      sums["cost \(item.meter) \(own.currency) \(place)", default: .zero] += own.amount
    } else if let rate = configuration.rate(
      meter: item.meter, attributes: item.attributes, at: item.time)
    {
      sums["cost \(item.meter) \(rate.currency) \(place)", default: .zero] +=
        rate.each * item.quantity
    } else if configuration.hasRates(item.meter) {
      sums["unpriced \(item.meter)", default: .zero] += item.quantity
    }
  }

  /// Whatever readings may be booked to.
  private var bookedIds: Set<String> {
    var ids = Set(openings.keys)
    for entry in accepted {
      guard case .usage(let subject, _, _) = entry.event.body else { continue }
      if case .transaction(let id) = subject { ids.insert(id) }
      if let place = entry.place { ids.insert(place) }
      for part in entry.parts ?? [] { ids.insert(part.booked) }
    }
    return ids
  }

  /// Sum readings that no purchase has.
  private var waiting: [Priced] {
    accepted.filter { !$0.voided }.flatMap { entry -> [Priced] in
      guard case .usage(let subject, _, let readings) = entry.event.body else { return [] }
      switch subject {
      case .transaction: return []
      case .chain where entry.place != nil: return []
      case .customer where entry.parts != nil: return []
      case .chain, .customer: break
      }
      return readings.filter { configuration.meters[$0.meter]?.isLevel == false }.map {
        Priced(
          meter: $0.meter, attributes: declared($0), time: entry.time, quantity: base($0),
          own: $0.ownCost)
      }
    }
  }
}

extension Totals {
  /// The same as the product's running totals tell it.
  var gauges: [String: Exact] {
    var sums: [String: Exact] = [:]
    for (key, total) in byKey where !key.isLevel {
      let place = "\(key.label.product.string) \(key.label.environment.string)"
      let quantity = Exact(Fraction(total.standing, scale: 9).decimal) ?? .zero
      let rate = key.rate.string.split(separator: "|").map(String.init)
      if let currency = Currency.unpacked(key.own) {
        let amount = Exact(total.standingCost.decimal(places: 24)) ?? .zero
        sums["cost \(key.meter.string) \(currency.string) \(place)", default: .zero] += amount
      } else if rate.count == 2 {
        let price = rate[0].split(separator: "/").compactMap { Exact(String($0)) }
        sums["cost \(key.meter.string) \(rate[1]) \(place)", default: .zero] +=
          price[0] / price[1] * quantity
      } else if key.isPriced {
        sums["unpriced \(key.meter.string)", default: .zero] += quantity
      }
    }
    return sums.filter { $0.value != .zero }
  }
}

extension Exact {
  fileprivate func isNear(_ other: Exact) -> Bool {
    let distance = self < other ? other - self : self - other
    return distance < Exact(.one, over: .powerOfTen(20))
  }
}

extension BooksSubject {
  /// What gauges of sums tell otherwise than the books, and otherwise than the reference.
  func wrongGauges(_ reference: Reference) throws -> [String] {
    try withBooks { books, _ in
      let faults = try books.gaugeFaults()
      let right = reference.gauges()
      var told = books.totals.gauges
      // Totals cut what splitting an own cost left, far below what a gauge can tell.
      for (name, value) in right where told[name].map({ value.isNear($0) }) ?? false {
        told[name] = value
      }
      return faults
        + Figures.differences(told.mapValues(\.description), right.mapValues(\.description))
    }
  }
}
