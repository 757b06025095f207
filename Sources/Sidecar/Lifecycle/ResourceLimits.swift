import Glibc
import Store
import Wire

/// What the system lets the process take (getrlimit(2)); nil where it sets no bound. A server that
/// would run into one says so at its start, not when it is hit.
struct ResourceLimits: Equatable {
  /// Bytes of one file.
  var fileBytes: UInt64?
  /// Open files and connections.
  var descriptors: UInt64?
  /// Bytes of addresses.
  var memoryBytes: UInt64?

  /// Descriptors below which a store and a few connections don't fit.
  static let leastDescriptors: UInt64 = 64
  /// Descriptors of the store's files: a segment of the journal each, of which the largest store
  /// that was planned for has some hundred.
  private static let storeDescriptors = 200
  /// Descriptors for the store and every connection that is let in.
  static let wantedDescriptors =
    UInt64(Limits.connections + Limits.scrapeConnections + storeDescriptors)

  /// Those of this process, which takes as many descriptors as it may.
  static func ofThisProcess() -> ResourceLimits {
    raiseDescriptors()
    return ResourceLimits(
      fileBytes: limit(RLIMIT_FSIZE)?.soft, descriptors: limit(RLIMIT_NOFILE)?.soft,
      memoryBytes: limit(RLIMIT_AS)?.soft)
  }

  /// The lower bound is for programs that can't deal with more; the upper one is the operator's.
  private static func raiseDescriptors() {
    guard let (soft, hard) = limit(RLIMIT_NOFILE), soft < wantedDescriptors, soft < hard else {
      return
    }
    var raised = rlimit(rlim_cur: rlim_t(min(hard, wantedDescriptors)), rlim_max: rlim_t(hard))
    setrlimit(Int32(RLIMIT_NOFILE.rawValue), &raised)
  }

  private static func limit(_ resource: __rlimit_resource) -> (soft: UInt64, hard: UInt64)? {
    var found = rlimit()
    guard getrlimit(Int32(resource.rawValue), &found) == 0, found.rlim_cur != rlim_t.max else {
      return nil
    }
    return (UInt64(found.rlim_cur), UInt64(found.rlim_max))
  }

  /// Addresses below which a server doesn't get as far as its first event.
  static let leastMemoryBytes: UInt64 = 256 << 20
  /// Addresses that a server under full load takes: its memory, a third of a GiB of libraries and
  /// files, and what is only reserved: 64 MiB for each thread that allocates, of which there are a
  /// dozen. With half of it a siege by every hostile client ends for want of addresses.
  static let wantedMemoryBytes: UInt64 = 2 << 30

  /// Why a server can't run within these limits; nil when it can.
  var refusal: String? {
    if let fileBytes, fileBytes < UInt64(StoreLimits.segmentBytes) {
      return "files may have \(fileBytes) bytes (ulimit -f), and a segment of the journal has "
        + "\(StoreLimits.segmentBytes)"
    }
    if let descriptors, descriptors < Self.leastDescriptors {
      return "\(descriptors) files may be open (ulimit -n), and at least "
        + "\(Self.leastDescriptors) are needed"
    }
    if let memoryBytes, memoryBytes < Self.leastMemoryBytes {
      return "the process may have \(memoryBytes) bytes of addresses (ulimit -v), and at least "
        + "\(Self.leastMemoryBytes) are needed"
    }
    return nil
  }

  /// What a server can run with, and its operator should know.
  var notes: [String] {
    var notes: [String] = []
    if let fileBytes {
      notes.append(
        "files may have \(fileBytes) bytes (ulimit -f): when ledger.db has so many, events are "
          + "refused")
    }
    if let descriptors, descriptors < Self.wantedDescriptors {
      notes.append(
        "\(descriptors) files may be open (ulimit -n): fewer than \(Limits.connections) "
          + "connections fit")
    }
    if let memoryBytes, memoryBytes < Self.wantedMemoryBytes {
      notes.append(
        "the process may have \(memoryBytes) bytes of addresses (ulimit -v): under full load it "
          + "can want \(Self.wantedMemoryBytes), and ends when it gets none")
    }
    return notes
  }
}
