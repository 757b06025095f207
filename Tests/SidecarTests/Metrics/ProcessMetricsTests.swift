import Testing

@testable import Sidecar

@Suite("Metrics of the process")
struct ProcessMetricsTests {
  @Test("read a program's odd name and its limits")
  func parse() {
    let fields = [String](repeating: "0", count: 10) + ["150", "50", "0", "0", "0", "0", "1", "0"]
    let stat =
      "42 (a) b ( c) S " + fields.joined(separator: " ") + " 1000 8192 3 18446744073709551615 0"
    let process = ProcessMetrics(
      stat: stat, system: "cpu 1 2\nbtime 1700000000\n",
      limits: "Limit  Soft  Hard  Units\nMax open files            1024   4096   files\n",
      openDescriptors: 7, ticks: 100, pageBytes: 4096)
    #expect(process?.cpuSeconds == 2)
    #expect(process?.startSeconds == 1_700_000_010)
    #expect(process?.virtualBytes == 8192)
    #expect(process?.residentBytes == 12_288)
    #expect(process?.descriptorLimit == 1024)
  }

  @Test("of this process are plausible")
  func current() throws {
    let process = try #require(ProcessMetrics.current())
    #expect(process.residentBytes > 1_000_000)
    #expect(process.openDescriptors > 2)
    #expect(process.startSeconds > 1_600_000_000)
  }
}
