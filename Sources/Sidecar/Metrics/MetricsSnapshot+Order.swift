import Metering

// Scrapes are compared by people and by tests, so samples come in the order of their labels.

extension MetricsSnapshot.MeterLabels: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    (left.meter, left.unit) < (right.meter, right.unit)
  }
}

extension MetricsSnapshot.MoneyLabels: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    (left.meter, left.product, left.currency, left.environment)
      < (right.meter, right.product, right.currency, right.environment)
  }
}
