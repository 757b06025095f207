import Foundation
import Testing

@testable import AppStore

struct Base64Tests {
  @Test func bothAlphabetsAgreeWithFoundation() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count * 31) }
      let text = Data(bytes).base64EncodedString()
      let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(Base64.decode(Array(text.utf8)) == bytes)
      #expect(Base64.decodeURL(Array(url.utf8)) == bytes)
      #expect(Base64.encodeURL(bytes) == Array(url.utf8))
    }
  }

  @Test(arguments: [
    "A", "AB=", "AA=A", "A===", "AA", "AAA", "AA==AA==", "AA-_", "AB==", "AAB=", "AAA A", "AAAA\n",
    "====", "AAA=AAAA",
  ]) func base64IsStrict(text: String) {
    #expect(Base64.decode(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["A", "AB", "AAB", "AA==", "AAA=", "AA+/", "AAA A", "AAAAA", "AA\n"])
  func base64urlIsStrict(text: String) {
    #expect(Base64.decodeURL(Array(text.utf8)) == nil)
  }
}
