import Metering

/// Payloads that were judged already, told apart by their signatures, which no two have in common.
struct KnownPayloads {
  private var signatures: Set<ByteString> = []
  private let capacity: Int

  /// Of more than `capacity` all are forgotten: to judge one again changes nothing.
  init(capacity: Int = RespondLimits.knownPayloads) { self.capacity = capacity }

  func contains(_ payload: ByteString) -> Bool { signatures.contains(Self.signature(of: payload)) }

  mutating func insert(_ payload: ByteString) {
    if signatures.count >= capacity { signatures = [] }
    signatures.insert(Self.signature(of: payload))
  }

  /// An ES256 signature has 86 characters in a JWS.
  private static func signature(of payload: ByteString) -> ByteString {
    ByteString(payload.bytes.suffix(86))
  }
}
