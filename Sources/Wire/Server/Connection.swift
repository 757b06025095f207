/// One accepted connection. Loop thread only.
final class Connection {
  enum Speech {
    /// Nothing has arrived.
    case undecided
    case http
    case stream(StreamHandle, any StreamService)
    /// Input doesn't matter any more; read and dropped until the peer closes.
    case lingering
  }

  /// Why a request's bytes wait in `held`.
  enum Block: Equatable {
    case ingest
    case pool(bytes: Int, small: Bool)
    case requestsInFlight
    /// For the answer to its question.
    case question
    /// For the peer to take what it asked for.
    case unread
  }

  struct PendingReply {
    var manner: HTTPResponseEncoder.Manner
    var response: HTTPResponse?
  }

  let id: ConnectionID
  /// Tells other threads when it is gone.
  let presence = Presence()
  let descriptor: Int32
  let listener: Int
  /// Whose it is, where the kernel says so.
  let user: UInt32?
  let http: any HTTPService
  let streamService: (any StreamService)?
  var speech = Speech.undecided

  var parser: HTTPRequestParser
  var framer = LineFramer()
  /// Bytes read and not yet parsed, while blocked.
  var held: [UInt8] = []
  var block: Block?
  /// The head whose body has to be admitted.
  var awaitedHead: HTTPRequestHead?
  /// Body bytes taken from the pool for the request being read.
  var reserved = 0
  /// When the body being read was let in.
  var bodyBegan: Int64 = 0
  var owesContinue = false

  var replies: [PendingReply] = []
  var firstReply = 0
  var nextRequest: UInt64 = 0
  /// The number of the question that waits for its answer.
  var question: UInt64?
  /// Bytes of answers that wait for those of earlier requests.
  var heldAnswers = 0
  /// What of ``unread`` is in the loop's sum.
  var counted = 0

  /// Whether a stream's lines wait for their acknowledgement.
  var awaitsAck = false
  /// Whether a whole request or line has come.
  var hasSpoken = false
  /// When bytes last came or went, or it was accepted.
  var lastActivity: Int64
  /// The turn in which its lines or body were last handed on.
  var servedTurn: UInt64 = 0

  var output = OutputBuffer()
  var isDirty = false
  var isOutputBlocked = false
  var readPaused = false
  var isParked = false
  var inputEnded = false
  /// No request after this point is taken.
  var isClosing = false
  var closesWhenFlushed = false
  var toldFinished = false
  var interest = System.Readiness([])
  var deadline = ConnectionDeadline()

  init(
    id: ConnectionID, descriptor: Int32, listener: Int, user: UInt32?, now: Int64,
    http: any HTTPService, stream: (any StreamService)?, bodyLimit: Int
  ) {
    self.id = id
    self.descriptor = descriptor
    self.listener = listener
    self.user = user
    lastActivity = now
    self.http = http
    streamService = stream
    parser = HTTPRequestParser(bodyLimit: bodyLimit)
  }

  var inFlight: Int { replies.count - firstReply }

  /// Bytes of answers that the peer hasn't taken.
  var unread: Int { output.count + heldAnswers }

  var isStream: Bool {
    if case .stream = speech { true } else { false }
  }

  var isLingering: Bool {
    if case .lingering = speech { true } else { false }
  }

  /// The sequence number of the oldest unanswered request.
  var firstSequence: UInt64 { nextRequest - UInt64(inFlight) }

  /// Notes an answer; false when there is no such request any more.
  func note(_ response: HTTPResponse, for sequence: UInt64) -> Bool {
    guard sequence >= firstSequence, sequence < nextRequest else { return false }
    heldAnswers += response.body.count
    if question == sequence { question = nil }
    replies[firstReply + Int(sequence - firstSequence)].response = response
    return true
  }

  /// The oldest request's answer, once it is there.
  func takeAnswer() -> (HTTPResponse, HTTPResponseEncoder.Manner)? {
    guard firstReply < replies.count, let response = replies[firstReply].response else {
      return nil
    }
    let manner = replies[firstReply].manner
    replies[firstReply].response = nil
    heldAnswers -= response.body.count
    firstReply += 1
    if firstReply == replies.count {
      replies.removeAll(keepingCapacity: true)
      firstReply = 0
    } else if firstReply >= 256 {
      replies.removeFirst(firstReply)
      firstReply = 0
    }
    return (response, manner)
  }
}
