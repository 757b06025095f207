@testable import Wire

/// Feeds bytes in the given pieces and collects what the parser says, but for "needs more".
func parse(
  _ pieces: [some Collection<UInt8>], bodyLimit: Int = Limits.bodyBytes, allowance: Int = .max
) -> [HTTPRequestParser.Action] {
  var parser = HTTPRequestParser(bodyLimit: bodyLimit)
  parser.bodyAllowance = allowance
  var actions: [HTTPRequestParser.Action] = []
  for piece in pieces {
    Array(piece).withUnsafeBytes { bytes in
      var rest = bytes
      while true {
        let (action, consumed) = parser.consume(rest)
        rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        if action == .needsMore { return }
        if actions.last.map(isRefusal) != true { actions.append(action) }
        if isRefusal(action) { return }
        if action == .needsAllowance { parser.bodyAllowance += 3 }
      }
    }
  }
  return actions
}

func isRefusal(_ action: HTTPRequestParser.Action) -> Bool {
  if case .refuse = action { true } else { false }
}

/// The parsed head of a request that ends with its head, or the status of the refusal.
func status(_ text: String, bodyLimit: Int = Limits.bodyBytes) -> Int {
  switch parse([Array(text.utf8)], bodyLimit: bodyLimit).last {
  case .refuse(let refusal): refusal.status
  case .request, .head: 200
  default: 0
  }
}

func head(_ text: String) -> HTTPRequestHead? {
  switch parse([Array(text.utf8)]).first {
  case .request(let head, _), .head(let head): head
  default: nil
  }
}
