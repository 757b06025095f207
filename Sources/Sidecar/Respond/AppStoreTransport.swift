import Wire

/// Carries one call to Apple and its answer back. For one thread at a time.
protocol AppStoreTransport: AnyObject {
  /// Sends a request to an origin and waits for the whole answer, whatever its status. Throws when
  /// there is none.
  func send(_ request: ClientRequest, to origin: String) throws(NetworkFault) -> HTTPResponse
}

extension HTTPSClient: AppStoreTransport {}

extension HTTPSClient {
  /// The transport to Apple itself. Throws when libcurl can't be had.
  static func toAppStore(
    authorityFile: String?, files: ConfiguredFiles
  ) throws(NetworkFault) -> HTTPSClient {
    var options = HTTPSOptions()
    options.userAgent = "outlay/\(Release.version)"
    options.authorityFile = authorityFile.map(files.path)
    return try HTTPSClient(options)
  }
}
