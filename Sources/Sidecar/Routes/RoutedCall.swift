package import Metering
package import Wire

/// What a request asks for, with everything checked that needs neither store nor commit.
package enum RoutedCall: Sendable {
  /// Events to take; they are the request's body.
  case events(EventsContent)
  /// A change for the writer.
  case command(Command)
  /// Signed input, to be proved before it becomes a change.
  case signed(SignedInput)
  /// A question for a reader.
  case question(Question)
  /// Whether the process lives.
  case health
  /// Whether the store takes writes.
  case readiness
  /// The metrics, in the format that the client prefers.
  case metrics(MetricsFormat)
  /// The page for people.
  case page
  /// The answer is known already.
  case answer(HTTPResponse)
}

/// A compact JWS that claims to be Apple's; nothing of it is believed yet.
package enum SignedInput: Equatable, Sendable {
  /// A `signedTransactionInfo`.
  case transaction(ByteString)
  /// A notification's `signedPayload`.
  case notification(ByteString)
}

/// How the body of `POST /v1/events` is written.
package enum EventsContent: Equatable, Sendable {
  /// One event or an array.
  case json
  /// One event per line; a bad line is refused alone.
  case ndjson
}
