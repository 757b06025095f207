extension FuzzTarget {
  /// Every target.
  package static let all = [
    events, json, lines, httpRequests, httpReplies, tokens, certificates, configuration, journal,
    runBlocks, records, requests, notifications,
  ]

  /// The target with a name.
  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension [UInt8] {
  init(text: String) { self = Array(text.utf8) }
}
