extension Limits {
  /// Events in a memtable: two tables of about 160 bytes an event stay under 128 MiB.
  package static let memtableEvents = 400_000
  /// Records, links, series and waiting readings in a memtable, bytes; beside the fixed tables.
  package static let memtableLooseBytes = 24 << 20
  /// A frame's body, bytes: what one `pwrite` of a lone event costs stays under a page or two, and
  /// a void reads one frame.
  package static let frameBytes = 64 << 10
  /// Length of a slot of the quarter-hour sums: quarter-hours tile the days of every time zone.
  package static let quarterHourMicroseconds: Int64 = 15 * 60 * 1_000_000
}
