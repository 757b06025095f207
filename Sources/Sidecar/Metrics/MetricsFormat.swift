/// The text formats that metrics are told in.
package enum MetricsFormat: Equatable, Sendable {
  /// The classic Prometheus text.
  case text004
  /// https://prometheus.io/docs/specs/om/open_metrics_spec/
  case openMetrics100

  /// What `Content-Type` says.
  package var contentType: String {
    switch self {
    case .text004: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics100: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// The format that `Accept` headers ask for; the classic text when they don't care.
  package static func preferred(by accept: [String]) -> MetricsFormat {
    let wantsOpenMetrics = AcceptHeader(accept).prefers(
      "application/openmetrics-text", to: "text/plain"
    ) { ["1.0.0", "0.0.1", nil].contains($0["version"]) }
    return wantsOpenMetrics ? .openMetrics100 : .text004
  }
}
