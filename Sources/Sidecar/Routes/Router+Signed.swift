import Metering
import Wire

/// Signed input. Whether it is Apple's is found out elsewhere, since that takes milliseconds.
extension Router {
  /// The JWS in a field of the body, whose other fields are Apple's business.
  func signed(_ request: HTTPRequest, _ field: String) throws(Problem) -> ByteString {
    guard configuration.appStore != nil else { throw .notConfigured }
    let body = try Self.object(request, fields: nil)
    guard let jws = body[field]?.string else {
      throw .unprocessable("invalid_body", "\(field) is a string.")
    }
    return jws
  }
}
