/// What a client takes and how gladly (RFC 9110, 12.5.1).
struct AcceptHeader: Equatable {
  /// One range of media types.
  struct Range: Equatable {
    /// `type/subtype`, in lower case; either may be `*`.
    var type: String
    /// Parameters before the weight, in lower case.
    var parameters: [String: String]
    /// 0…1.
    var quality: Double
  }

  var ranges: [Range]

  /// Reads the headers' values; ranges that can't be read are left out.
  init(_ values: [String]) {
    ranges = values.flatMap { $0.split(separator: ",") }.compactMap(Self.range)
  }

  private static func range(_ text: Substring) -> Range? {
    let type = MediaType.leading(text)
    guard type.split(separator: "/").count == 2 else { return nil }
    var range = Range(type: type, parameters: [:], quality: 1)
    for piece in text.split(separator: ";").dropFirst() {
      let pair = piece.split(separator: "=", maxSplits: 1).map { part in
        MediaType.leading(part).filter { $0 != "\"" }
      }
      guard pair.count == 2 else { continue }
      if pair[0] == "q" {
        guard let quality = Double(pair[1]), quality >= 0, quality <= 1 else { return nil }
        range.quality = quality
      } else {
        range.parameters[pair[0]] = pair[1]
      }
    }
    return range
  }

  /// The weight of the most specific range that covers a type; 0 when none does. A range with
  /// parameters counts when `accepts` says so.
  func quality(
    of type: String, accepts: ([String: String]) -> Bool = { _ in true }
  ) -> Double {
    let general = type.prefix { $0 != "/" } + "/*"
    for candidate in [type, String(general), "*/*"] {
      let matching = ranges.filter {
        $0.type == candidate && (candidate != type || accepts($0.parameters))
      }
      if let best = matching.map(\.quality).max() { return best }
    }
    return 0
  }

  /// Whether `type` is named at least as gladly as `other`; wildcards alone never prefer it.
  func prefers(
    _ type: String, to other: String, accepts: ([String: String]) -> Bool = { _ in true }
  ) -> Bool {
    let named = ranges.contains { $0.type == type && $0.quality > 0 && accepts($0.parameters) }
    return named && quality(of: type, accepts: accepts) >= quality(of: other)
  }
}
