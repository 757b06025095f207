/// Why a signed payload isn't believed.
package indirect enum VerificationFault: Error, Equatable, Sendable {
  /// Longer than ``AppStoreLimits/signedPayloadBytes``.
  case tooLarge
  /// Not three parts in base64url, or a signature of another length than 64 bytes.
  case malformedToken
  /// The header is no strict JSON object, has a field of another type than RFC 7515's, or is longer
  /// than ``AppStoreLimits/headerBytes``.
  case malformedHeader
  /// `alg` isn't `ES256`.
  case unsupportedAlgorithm
  /// The header has `crit`: it asks for rules that aren't known here.
  case unsupportedExtension
  /// `x5c` is missing or hasn't three certificates.
  case chainLength
  /// Leaf or intermediate is no certificate in base64 of DER.
  case malformedCertificate
  /// Leaf, intermediate and a pinned root make no chain.
  case untrustedChain
  /// A certificate of the chain had expired when the payload was signed.
  case expiredCertificate
  /// A certificate of the chain wasn't valid yet when the payload was signed.
  case certificateNotYetValid
  /// The leaf isn't marked for App Store receipts.
  case leafNotMarked
  /// The intermediate isn't marked as one of Apple's.
  case intermediateNotMarked
  /// The leaf's key isn't of the curve P-256.
  case unsupportedKey
  /// The leaf's key didn't sign this.
  case wrongSignature
  /// The payload is no strict JSON object.
  case malformedPayload
  /// A field that is needed is missing, or a known one has another type or range than Apple's.
  case malformedField(String)
  /// Signed further ahead of our clock than ``AppStoreLimits/signedAheadMicroseconds``.
  case signedInFuture
  /// Another environment than those allowed.
  case wrongEnvironment
  /// Another app by its bundle id.
  case wrongBundle
  /// Another app by its Apple id.
  case wrongApp
  /// A notification without any of the four known containers, or with several.
  case wrongContainer
  /// An inner payload says another environment than the notification around it.
  case environmentDiffers
  /// An inner payload says another bundle id than the notification around it.
  case bundleDiffers
  /// The inner payload in this field isn't believed.
  case inner(String, VerificationFault)
  /// libcrypto has no memory; the payload may be good.
  case unavailable

  /// A stable short name, the same in every release; `field: name` for an inner payload.
  package var reason: String {
    switch self {
    case .tooLarge: "too_large"
    case .malformedToken: "malformed_token"
    case .malformedHeader: "malformed_header"
    case .unsupportedAlgorithm: "unsupported_algorithm"
    case .unsupportedExtension: "unsupported_extension"
    case .chainLength: "chain_length"
    case .malformedCertificate: "malformed_certificate"
    case .untrustedChain: "untrusted_chain"
    case .expiredCertificate: "expired_certificate"
    case .certificateNotYetValid: "certificate_not_yet_valid"
    case .leafNotMarked: "leaf_not_marked"
    case .intermediateNotMarked: "intermediate_not_marked"
    case .unsupportedKey: "unsupported_key"
    case .wrongSignature: "wrong_signature"
    case .malformedPayload: "malformed_payload"
    case .malformedField: "malformed_field"
    case .signedInFuture: "signed_in_future"
    case .wrongEnvironment: "wrong_environment"
    case .wrongBundle: "wrong_bundle"
    case .wrongApp: "wrong_app"
    case .wrongContainer: "wrong_container"
    case .environmentDiffers: "environment_differs"
    case .bundleDiffers: "bundle_differs"
    case .inner(let field, let fault): "\(field): \(fault.reason)"
    case .unavailable: "unavailable"
    }
  }

  /// True where the same payload may be believed later: answer 503, so that it comes again.
  package var isTemporary: Bool {
    switch self {
    case .unavailable: true
    case .inner(_, let fault): fault.isTemporary
    default: false
    }
  }
}

extension VerificationFault: CustomStringConvertible {
  /// The reason, with the field's name where there is one; never anything of the payload's content.
  package var description: String {
    switch self {
    case .malformedField(let name): "\(reason) \(name)"
    case .inner(let field, let fault): "\(field): \(fault)"
    default: reason
    }
  }
}

/// Why a verifier can't be made of its configuration.
package enum VerifierFault: Error, Equatable, Sendable {
  /// No root to trust.
  case noRoots
  /// Neither one certificate in DER nor certificates in PEM; which one, from 0.
  case malformedRoot(Int)
  /// No certificate authority that signed itself; which one, from 0.
  case notRoot(Int)
  /// No bundle id to accept.
  case noBundleIds
  /// No environment to accept.
  case noEnvironments
  /// Production is allowed without an Apple id, by which its notifications are told apart.
  case noAppAppleId
  /// libcrypto has no memory.
  case unavailable
}
