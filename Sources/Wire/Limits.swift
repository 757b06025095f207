/// Every bound of the way in and out, each with its reason.
package enum Limits {
  /// Request line and headers (contract §3): enough for any client, little enough that a thousand
  /// unfinished heads stay under 16 MiB.
  package static let headBytes = 16 * 1024
  /// One HTTP body (contract §3).
  package static let bodyBytes = 16 * 1024 * 1024
  /// A body up to this size counts as small and is served from the pool's reserve as well.
  package static let smallBodyBytes = 64 * 1024
  /// All bodies that are being read or answered: four of the largest.
  package static let bodyPoolBytes = 64 * 1024 * 1024
  /// What large bodies can never take, so that small requests pass while large ones fill the pool.
  package static let bodyPoolReserveBytes = 4 * 1024 * 1024
  /// One NDJSON line without its newline (contract §3).
  package static let lineBytes = 64 * 1024
  /// A chunk's size line with its extensions, which nobody needs.
  package static let chunkLineBytes = 256
  /// The loop's one reading buffer, and so the most that one stream hands over in a turn.
  package static let readBytes = 256 * 1024
  /// What a connection may read in a turn when many are ready: the floor of its fair part.
  package static let fairReadBytes = 32 * 1024
  /// What all ready connections together should read in a turn, so that a question waits for
  /// milliseconds whatever else arrives.
  package static let turnReadBytes = 1024 * 1024
  /// Bytes of one turn that may be a single event or question.
  static let loneBytes = 1024
  /// How long a thread stays awake for the next event of a sender who waits for each: a little more
  /// than a usual sync and the sender's own work take, nanoseconds.
  static let briefWaitNanoseconds: Int64 = 400_000
  /// Requests of one connection that wait for their answers.
  package static let requestsInFlight = 256
  /// Unsent output at which nothing more is taken from a connection. It can exceed this by the
  /// answers to what was taken before: one question, and events of whole batches.
  package static let outputBytes = 256 * 1024
  /// Unsent output of all connections: beyond it whoever has taken nothing for longest is cut off.
  /// Sixty of the largest pages, which is what a listener's worth of slow readers leaves at once.
  package static let outputPoolBytes = 32 * 1024 * 1024
  /// Lines read from streams that wait for their turn, of all streams: beyond it no further stream
  /// is read.
  package static let streamHeldBytes = 4 * 1024 * 1024
  /// Connections of one listener: below the customary 1,024 descriptors, with room for the store.
  package static let connections = 768
  /// Connections of a TCP listener: a few scrapers, a browser, a proxy; never starved by the
  /// socket's.
  package static let scrapeConnections = 64
  /// Descriptors that connections leave to the store, the log and what they come by.
  package static let reservedDescriptors = 160
  /// Connections of a listener however few descriptors there are.
  package static let leastConnections = 16
  /// What one user may have of a socket's places: the rest is for the others.
  package static let userSharePercent = 75
  /// Between two looks for peers that have gone while nothing of them was read, nanoseconds: what
  /// is worked for them meanwhile is little.
  static let goneLookNanoseconds: Int64 = 250_000_000
  /// How long a connection that has begun something is left alone when its place is wanted,
  /// nanoseconds: longer than a busy sender is silent.
  static let quietNanoseconds: Int64 = 1_000_000_000
  /// Connections that are asked for unread bytes when a place is wanted: as many as are accepted in
  /// a turn, so that the search stays shorter than the turn.
  static let unreadAsked = 64
  /// Events taken from epoll in one turn.
  package static let eventsPerTurn = 128
  /// Connections that wait in the kernel for accept.
  package static let backlog: Int32 = 1024
  /// A path in a Unix socket address without its terminating zero (unix(7): 108 with it).
  package static let socketPathBytes = 107
  /// The body of an answer from another server: a page of twenty signed notifications has half a
  /// megabyte.
  package static let answerBytes = 4 * 1024 * 1024
}
