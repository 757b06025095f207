import Sidecar
import Testing

@Suite("Format of metrics")
struct MetricsFormatTests {
  @Test(
    "follows the weights",
    arguments: [
      ([], MetricsFormat.text004),
      (["*/*"], .text004),
      (["text/plain"], .text004),
      (["application/openmetrics-text"], .openMetrics100),
      (["Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8"], .openMetrics100),
      (["application/openmetrics-text; version=2.0.0"], .text004),
      (["application/openmetrics-text;q=0.4,text/plain;q=0.5"], .text004),
      (["application/openmetrics-text;q=0.5", "text/plain;q=0.4"], .openMetrics100),
      (["application/openmetrics-text;q=0,*/*"], .text004),
      (["application/*"], .text004),
      (["nonsense", "q=1", ";;;,,,"], .text004),
      (
        [
          "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            + "application/openmetrics-text;version=0.0.1;q=0.5,"
            + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
            + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
        ], .openMetrics100
      ),
    ] as [([String], MetricsFormat)])
  func preferred(_ accept: [String], _ expected: MetricsFormat) {
    #expect(MetricsFormat.preferred(by: accept) == expected)
  }
}
