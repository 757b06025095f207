/// Lays out compact JSON for people.
enum IndentedJSON {
  /// The same JSON with a line for each member and element, ending with a line feed.
  static func bytes(of compact: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var depth = 0
    var isInString = false
    var isEscaped = false
    func newLine() {
      result.append(0x0A)
      result.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }
    for (index, byte) in compact.enumerated() {
      if isInString {
        result.append(byte)
        if byte == 0x22, !isEscaped { isInString = false }
        isEscaped = byte == 0x5C && !isEscaped
        continue
      }
      switch byte {
      case 0x22:
        isInString = true
        result.append(byte)
      case 0x7B, 0x5B:
        depth += 1
        result.append(byte)
        let next = index + 1 < compact.count ? compact[index + 1] : 0
        if next != 0x7D, next != 0x5D { newLine() }
      case 0x7D, 0x5D:
        depth -= 1
        if compact[index - 1] != 0x7B, compact[index - 1] != 0x5B { newLine() }
        result.append(byte)
      case 0x2C:
        result.append(byte)
        newLine()
      case 0x3A: result.append(contentsOf: [0x3A, 0x20])
      default: result.append(byte)
      }
    }
    result.append(0x0A)
    return result
  }
}
