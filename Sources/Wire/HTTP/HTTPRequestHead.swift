/// A request's line and headers, already checked. Fields are cut out of the bytes when asked for,
/// since most requests are asked for few.
package struct HTTPRequestHead: Equatable, Sendable {
  struct Field: Equatable, Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  var bytes: [UInt8]
  var methodRange: Range<Int>
  var pathRange: Range<Int>
  var queryRange: Range<Int>
  var fields: [Field]

  /// False for HTTP/1.0, which knows neither chunks nor 100 Continue.
  package internal(set) var isVersion11: Bool
  /// True when the client wants the connection kept after the answer.
  package internal(set) var keepAlive: Bool
  /// True when the client waits for 100 Continue before it sends the body.
  package internal(set) var expectsContinue: Bool
  /// Body bytes to come; nil when chunked.
  package internal(set) var contentLength: Int?

  /// The method as sent, such as "GET".
  package var method: String { string(methodRange) }

  /// The path as sent, undecoded, from its first slash to before the question mark.
  package var path: String { string(pathRange) }

  /// Whether the path is written just so.
  package func isPath(_ path: String) -> Bool { bytes[pathRange].elementsEqual(path.utf8) }

  /// Whether the method asks and changes nothing.
  package var isQuestion: Bool {
    let method = bytes[methodRange]
    return method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8)
  }

  /// The path's segments, percent-decoded: "/v1/a%2Fb" is ["v1", "a/b"], "/" is [].
  package var segments: [[UInt8]] {
    var start = pathRange.lowerBound
    guard start < pathRange.upperBound, bytes[start] == UInt8(ascii: "/") else { return [] }
    start += 1
    if start == pathRange.upperBound { return [] }
    return bytes[start..<pathRange.upperBound]
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { PercentCoding.decode($0, plusIsSpace: false) }
  }

  /// The query's pairs in order, decoded as forms are ("+" is a space).
  package var query: [(name: String, value: [UInt8])] {
    bytes[queryRange].split(separator: UInt8(ascii: "&")).map { pair in
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentCoding.decode(parts[0], plusIsSpace: true)
      let value = parts.count > 1 ? PercentCoding.decode(parts[1], plusIsSpace: true) : []
      return (String(decoding: name, as: UTF8.self), value)
    }
  }

  /// True when a body follows the head.
  package var hasBody: Bool { contentLength != 0 }

  /// The value of the first header with this name, compared without case; nil when absent.
  package func header(_ name: String) -> String? {
    fields.first { matches($0.name, name) }.map { string($0.value) }
  }

  /// The values of all headers with this name, in order.
  package func headers(_ name: String) -> [String] {
    fields.filter { matches($0.name, name) }.map { string($0.value) }
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func matches(_ range: Range<Int>, _ name: String) -> Bool {
    ASCII.equalIgnoringCase(bytes[range], name.utf8)
  }
}
