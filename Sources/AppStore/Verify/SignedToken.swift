import Metering

/// A compact JWS (RFC 7515) taken apart, of which nothing is believed yet.
struct SignedToken {
  /// What was signed: header and payload with the dot between, as sent.
  let message: ArraySlice<UInt8>
  /// r and s of 32 bytes each.
  let signature: [UInt8]
  /// DER of `x5c[0]`.
  let leaf: [UInt8]
  /// DER of `x5c[1]`. `x5c[2]` isn't even decoded: the root is ours.
  let intermediate: [UInt8]
  let payload: JSONNode

  init(_ text: ByteString) throws(VerificationFault) {
    guard text.count <= AppStoreLimits.signedPayloadBytes else { throw .tooLarge }
    let parts = text.bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64.decodeURL(parts[0]),
      let body = Base64.decodeURL(parts[1]), let signature = Base64.decodeURL(parts[2])
    else { throw .malformedToken }
    guard header.count <= AppStoreLimits.headerBytes, let head = Self.object(header) else {
      throw .malformedHeader
    }
    let certificates = try Self.certificates(head)
    // After the algorithm, which tells more of a token that isn't ES256 at all.
    guard signature.count == RawSignature.count else { throw .malformedToken }
    guard let payload = Self.object(body) else { throw .malformedPayload }
    message = text.bytes[..<parts[1].endIndex]
    self.signature = signature
    (leaf, intermediate) = certificates
    self.payload = payload
  }

  private static func certificates(
    _ header: JSONNode
  ) throws(VerificationFault) -> (leaf: [UInt8], intermediate: [UInt8]) {
    guard let algorithm = header["alg"]?.string else { throw .malformedHeader }
    guard algorithm == "ES256" else { throw .unsupportedAlgorithm }
    guard header["crit"] == nil else { throw .unsupportedExtension }
    guard let chain = header["x5c"], !chain.isNull else { throw .chainLength }
    guard let elements = chain.elements else { throw .malformedHeader }
    guard elements.count == 3 else { throw .chainLength }
    guard elements.allSatisfy({ $0.string != nil }) else { throw .malformedHeader }
    return (try certificate(elements[0]), try certificate(elements[1]))
  }

  private static func certificate(_ node: JSONNode) throws(VerificationFault) -> [UInt8] {
    guard let text = node.string, let der = Base64.decode(text.bytes), !der.isEmpty,
      der.count <= AppStoreLimits.certificateBytes
    else { throw .malformedCertificate }
    return der
  }

  /// Strict JSON without duplicate keys, of which one reader takes the first and another the last.
  private static func object(_ bytes: [UInt8]) -> JSONNode? {
    guard let node = try? JSONNode.parse(bytes, dialect: .strict), node.members != nil else {
      return nil
    }
    return node
  }
}
