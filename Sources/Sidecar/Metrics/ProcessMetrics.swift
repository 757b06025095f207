import Foundation
import Glibc

/// What the kernel says of this process, under the names that Prometheus' clients use.
package struct ProcessMetrics: Equatable, Sendable {
  package var cpuSeconds: Double
  package var residentBytes: Int
  package var virtualBytes: Int
  package var startSeconds: Double
  package var openDescriptors: Int
  /// nil when there is no limit.
  package var descriptorLimit: Int?

  /// Reads `/proc`; nil where it isn't mounted.
  package static func current() -> ProcessMetrics? {
    guard let stat = text("/proc/self/stat"), let system = text("/proc/stat"),
      let limits = text("/proc/self/limits"),
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    else { return nil }
    return ProcessMetrics(
      stat: stat, system: system, limits: limits,
      // The listing itself holds one.
      openDescriptors: max(0, descriptors.count - 1),
      ticks: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// From the texts of `/proc/self/stat`, `/proc/stat` and `/proc/self/limits`; nil when one of
  /// them isn't what proc(5) says.
  init?(
    stat: String, system: String, limits: String, openDescriptors: Int, ticks: Int, pageBytes: Int
  ) {
    // The second field is the program's name in parentheses, which may hold anything.
    guard let name = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[name...].split(separator: " ").dropFirst().map(String.init)
    let boot = system.split(separator: "\n").first { $0.hasPrefix("btime ") }
    guard fields.count > 21, ticks > 0, let user = Double(fields[11]),
      let kernel = Double(fields[12]), let start = Double(fields[19]),
      let virtual = Int(fields[20]), let pages = Int(fields[21]),
      let bootSeconds = boot.flatMap({ Double($0.dropFirst(6)) })
    else { return nil }
    cpuSeconds = (user + kernel) / Double(ticks)
    startSeconds = bootSeconds + start / Double(ticks)
    virtualBytes = virtual
    residentBytes = pages * pageBytes
    self.openDescriptors = openDescriptors
    let limit = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    descriptorLimit = limit.flatMap { $0.split(separator: " ").dropFirst(3).first }.flatMap {
      Int($0)
    }
  }

  /// A file of `/proc`, whose size the kernel says is 0.
  private static func text(_ path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else {
      return nil
    }
    return String(decoding: data, as: UTF8.self)
  }

  var families: [MetricFamily] {
    var cpu = MetricFamily(
      "process_cpu_seconds", .counter, "User and system CPU time.", unit: "seconds")
    cpu.add(MetricNumber.shortest(cpuSeconds))
    var resident = MetricFamily(
      "process_resident_memory_bytes", .gauge, "Resident memory.", unit: "bytes")
    resident.add("\(residentBytes)")
    var virtual = MetricFamily(
      "process_virtual_memory_bytes", .gauge, "Virtual memory.", unit: "bytes")
    virtual.add("\(virtualBytes)")
    var start = MetricFamily(
      "process_start_time_seconds", .gauge, "Start of the process since the epoch.",
      unit: "seconds")
    start.add(MetricNumber.shortest(startSeconds))
    var open = MetricFamily("process_open_fds", .gauge, "Open file descriptors.")
    open.add("\(openDescriptors)")
    var limit = MetricFamily("process_max_fds", .gauge, "Most file descriptors.")
    if let descriptorLimit { limit.add("\(descriptorLimit)") }
    return [cpu, resident, virtual, start, open, limit]
  }
}
