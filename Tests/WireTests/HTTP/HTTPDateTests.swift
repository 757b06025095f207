import Testing

@testable import Wire

struct HTTPDateTests {
  @Test(
    arguments: [
      0, 951_782_400, 951_868_799, 951_868_800, 1_798_761_599, 4_102_444_800, 253_402_300_799,
    ] as [Int64])
  func whatIsWrittenIsRead(second: Int64) {
    #expect(HTTPDate.seconds(HTTPDate.format(second)) == second)
  }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
  ])
  func otherTextsAreNone(text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }
}
