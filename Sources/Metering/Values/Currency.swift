/// The alphabetic codes of ISO 4217, packed in a word; zero for none.
package enum Currency {
  /// Packs three upper-case letters, big end first.
  package static func packed(_ code: ByteString?) -> UInt32 {
    guard let code else { return 0 }
    return code.bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes the letters back; nil for zero.
  package static func unpacked(_ word: UInt32) -> ByteString? {
    guard word != 0 else { return nil }
    return ByteString([
      UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8),
      UInt8(truncatingIfNeeded: word),
    ])
  }

  /// Whether a text is a currency's code.
  package static func isCode(_ text: ByteString) -> Bool {
    text.count == 3 && isCode(packed: packed(text))
  }

  /// Whether a packed text is a currency's code.
  @inline(__always)
  package static func isCode(packed word: UInt32) -> Bool {
    guard let place = place(of: word) else { return false }
    return table[place >> 6] >> UInt64(place & 63) & 1 != 0
  }

  /// The place of three capital letters among all such; nil for other words.
  @inline(__always)
  private static func place(of word: UInt32) -> Int? {
    guard word >> 24 == 0 else { return nil }
    let (first, second, third) = (word >> 16 &- 0x41, word >> 8 & 0xFF &- 0x41, word & 0xFF &- 0x41)
    guard first < 26, second < 26, third < 26 else { return nil }
    return (Int(first) * 26 + Int(second)) * 26 + Int(third)
  }

  /// One bit for each three letters, since an event may have sixty-four costs.
  private static let table: [UInt64] = {
    var table = [UInt64](repeating: 0, count: (26 * 26 * 26 + 63) / 64)
    for code in (inForce + withdrawn).split(whereSeparator: \.isWhitespace) {
      guard let place = place(of: packed(ByteString(String(code)))) else {
        preconditionFailure("\(code) isn't three capital letters")
      }
      table[place >> 6] |= 1 << UInt64(place & 63)
    }
    return table
  }()

  /// List One of ISO 4217 as its maintenance agency, SIX, gives it on 1 January 2026
  /// (six-group.com, data standards).
  /// Funds, metals and units of account among it are somebody's money; `XXX`, no currency, and
  /// `XTS`, for testing, are nobody's and left out.
  private static let inForce = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN
    BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR
    FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
    KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
    MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
    RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
    TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB
    XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG
    """

  /// Codes of List Three that were withdrawn since the App Store opened in July 2008: what was paid
  /// in them was paid in them.
  private static let withdrawn = " ANG BGN BYR CUC EEK HRK LTL LVL MRO SKK SLL STD VEF ZMK ZWL"
}
