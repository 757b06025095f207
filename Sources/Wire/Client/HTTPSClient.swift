import CCurl

/// A blocking HTTPS client that keeps its connections. It verifies the peer, never follows a
/// redirect (what is sent may be secret) and speaks nothing but HTTPS. A kept connection that the
/// peer closed without a word is replaced, and the request sent again, within the same call. For
/// one thread at a time, and never for a loop's.
package final class HTTPSClient {
  private let handle: UnsafeMutableRawPointer
  private let options: HTTPSOptions
  /// Where libcurl says in words what went wrong.
  private let explanation: UnsafeMutablePointer<CChar>

  /// libcurl asks to be set up once, before any other call.
  private static let isSetUp = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Makes a client; nothing is connected yet. Throws when libcurl can't be had.
  package init(_ options: HTTPSOptions = HTTPSOptions()) throws(NetworkFault) {
    guard Self.isSetUp, let handle = curl_easy_init() else {
      throw NetworkFault(.unusable, "libcurl can't be set up")
    }
    self.handle = handle
    self.options = options
    explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
    explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(handle)
    explanation.deallocate()
  }

  /// Sends a request whose target begins with a slash to an origin such as
  /// "https://api.storekit.apple.com", and waits for the whole answer, whatever its status.
  package func send(
    _ request: ClientRequest, to origin: String
  ) throws(NetworkFault) -> HTTPResponse {
    // Forgets the last call's options; connections, sessions and resolved names stay.
    curl_easy_reset(handle)
    let answer = AnswerCollector(limit: options.answerBytes)
    let headers = try HeaderList(request.headers)
    try configure(url: origin + request.target)
    try check(ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method))
    try check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers.first))
    if request.method == "HEAD" { try check(ccurl_set_number(handle, CURLOPT_NOBODY, 1)) }
    let code = try withExtendedLifetime((answer, headers)) { () throws(NetworkFault) in
      try collect(into: answer)
      return try perform(request)
    }
    guard code == CURLE_OK else { throw fault(code, answer) }
    guard answer.isHeadWhole else {
      throw NetworkFault(.broken, "the answer's head is cut", status: answer.status)
    }
    var status = 0
    try check(ccurl_get_number(handle, CURLINFO_RESPONSE_CODE, &status))
    return HTTPResponse(status: status, headers: answer.headers, body: answer.body)
  }

  private func perform(_ request: ClientRequest) throws(NetworkFault) -> CURLcode {
    let hasBody = !request.body.isEmpty || ["POST", "PUT"].contains(request.method)
    guard hasBody else { return curl_easy_perform(handle) }
    try check(ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, request.body.count))
    // Not copied by libcurl, so it is lent for the whole call; an empty array may have no address.
    return (request.body + [0]).withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let code = ccurl_set_text(handle, CURLOPT_POSTFIELDS, start)
      return code == CURLE_OK ? curl_easy_perform(handle) : code
    }
  }

  private func configure(url: String) throws(NetworkFault) {
    try check(ccurl_set_text(handle, CURLOPT_URL, url))
    try check(ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "https"))
    // Without it a time-out while resolving would be a signal, which threads can't bear.
    try check(ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1))
    try check(ccurl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1))
    try check(ccurl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2))
    try check(
      ccurl_set_number(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2))
    if let file = options.authorityFile {
      try check(ccurl_set_text(handle, CURLOPT_CAINFO, file))
      try check(ccurl_set_text(handle, CURLOPT_CAPATH, nil))
    }
    try check(
      ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, options.connectMilliseconds))
    try check(ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, options.callMilliseconds))
    try check(ccurl_set_number(handle, CURLOPT_TCP_KEEPALIVE, 1))
    try check(ccurl_set_text(handle, CURLOPT_USERAGENT, options.userAgent))
    explanation[0] = 0
    try check(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, explanation))
  }

  private func collect(into answer: AnswerCollector) throws(NetworkFault) {
    let context = Unmanaged.passUnretained(answer).toOpaque()
    try check(
      ccurl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        AnswerCollector.of(context)?.take(body: bytes, count: size * count) ?? 0
      })
    try check(ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
    try check(
      ccurl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        AnswerCollector.of(context)?.take(header: bytes, count: size * count) ?? 0
      })
    try check(ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
  }

  private func check(_ code: CURLcode) throws(NetworkFault) {
    guard code == CURLE_OK else {
      throw NetworkFault(.unusable, String(cString: curl_easy_strerror(code)))
    }
  }

  private func fault(_ code: CURLcode, _ answer: AnswerCollector) -> NetworkFault {
    let said = String(cString: explanation)
    let detail = said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
    if answer.isTooLong {
      return NetworkFault(
        .tooLong, "over \(options.answerBytes) bytes", status: answer.status)
    }
    return NetworkFault(Self.kind(of: code), detail, status: answer.status)
  }

  private static func kind(of code: CURLcode) -> NetworkFault.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
    case CURLE_COULDNT_CONNECT: .connect
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      .tls
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
      CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .broken
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      .malformed
    default: .unusable
    }
  }
}

/// What libcurl hands over of one answer.
private final class AnswerCollector {
  private let limit: Int
  private var headerBytes = 0
  private(set) var body: [UInt8] = []
  private(set) var headers: [(String, String)] = []
  private(set) var isTooLong = false
  /// The final answer's status, once its line is whole.
  private(set) var status: Int?
  /// Whether the final answer's headers are all there.
  private(set) var isHeadWhole = false

  init(limit: Int) { self.limit = limit }

  static func of(_ context: UnsafeMutableRawPointer?) -> AnswerCollector? {
    context.map { Unmanaged<AnswerCollector>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Another count than was given ends the call.
  func take(body bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    guard body.count + count <= limit else {
      isTooLong = true
      return 0
    }
    body += UnsafeRawBufferPointer(start: bytes, count: count)
    return count
  }

  /// One line, its end included. A status line begins the headers anew: those of an interim answer
  /// are not the answer's.
  func take(header bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    headerBytes += count
    guard headerBytes <= Limits.headBytes else {
      isTooLong = true
      return 0
    }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    let text = line.prefix { $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed }
    if text.starts(with: "HTTP/".utf8) {
      headers = []
      isHeadWhole = false
      status = line.last == ASCII.lineFeed ? Self.finalStatus(text) : nil
    } else if text.isEmpty, line.last == ASCII.lineFeed {
      isHeadWhole = status != nil
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let value = text[(colon + 1)...].drop { $0 == ASCII.space || $0 == ASCII.tab }
      headers.append(
        (String(decoding: text[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return count
  }
}

extension AnswerCollector {
  /// "HTTP/1.1 202 Accepted" is 202; an interim answer has none.
  fileprivate static func finalStatus(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
    let words = line.split(separator: ASCII.space)
    guard words.count > 1, let status = Int(String(decoding: words[1], as: UTF8.self)),
      (200...599).contains(status)
    else { return nil }
    return status
  }
}

/// libcurl's list of header lines.
private final class HeaderList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  /// Throws when memory is out, or when a line break would make one header two.
  init(_ headers: [(name: String, value: String)]) throws(NetworkFault) {
    // Small bodies are sent at once instead of being announced.
    for (name, value) in headers + [(name: "Expect", value: "")] {
      let line = "\(name):\(value.isEmpty ? "" : " ")\(value)"
      guard line.utf8.allSatisfy(ASCII.isFieldValue) else {
        throw NetworkFault(.unusable, "the header \(name) has control characters")
      }
      guard let longer = curl_slist_append(first, line) else {
        throw NetworkFault(.unusable, "no memory for headers")
      }
      first = longer
    }
  }

  deinit {
    curl_slist_free_all(first)
  }
}
