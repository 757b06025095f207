import Foundation
import Metering
import Testing

@testable import Sidecar

/// Where files that the configuration names are looked for, and which of them may hold a secret.
struct ConfiguredFilesTests {
  /// A folder of a configuration and one of systemd's credentials, each with a key.
  private struct Places {
    let folder: String
    let files: ConfiguredFiles

    init() throws {
      folder = try CommandSystem.makeScratchFolder(in: "/tmp")
      for name in ["own", "credentials"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        try name.write(
          toFile: "\(folder)/\(name)/key", atomically: false, encoding: .utf8)
      }
      files = ConfiguredFiles(
        configurationPath: "\(folder)/own/outlay.json5",
        environment: ["CREDENTIALS_DIRECTORY": "\(folder)/credentials"])
    }

    func set(_ mode: Int, _ file: String) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: "\(folder)/\(file)")
    }

    /// The text of a secret, or why it is none.
    func secret(_ name: String, limit: Int = 100) -> String {
      do throws(CommandFailure) {
        return String(decoding: try files.secret(name, limit: limit), as: UTF8.self)
      } catch {
        return "\(error)"
      }
    }
  }

  @Test(arguments: [
    // systemd lets a service's user in by an access list, which shows as the group's bit.
    (0o400, 0o400, true, true), (0o440, 0o600, true, true), (0o444, 0o640, false, false),
    (0o460, 0o604, false, false), (0o401, 0o602, false, false), (0o600, 0o700, true, true),
  ])
  func onlyItsOwnerMayUseASecret(
    credential: Int, own: Int, isCredentialGood: Bool, isOwnGood: Bool
  ) throws {
    let places = try Places()
    defer { CommandSystem.removeFolder(places.folder) }
    try places.set(credential, "credentials/key")
    try places.set(own, "own/key")
    let credentialSaid = places.secret("key")
    let ownSaid = places.secret("\(places.folder)/own/key")
    #expect((credentialSaid == "credentials") == isCredentialGood, "\(credentialSaid)")
    #expect((ownSaid == "own") == isOwnGood, "\(ownSaid)")
    for said in [credentialSaid, ownSaid] where said.hasPrefix("/") {
      #expect(said.contains("chmod 600"))
    }
  }

  @Test func namesLeadToCredentialsFirst() throws {
    let places = try Places()
    defer { CommandSystem.removeFolder(places.folder) }
    #expect(places.files.path("key") == "\(places.folder)/credentials/key")
    #expect(places.files.path("other") == "\(places.folder)/own/other")
    #expect(places.files.path("/etc/key") == "/etc/key")
  }

  @Test func aSecretIsAShortFile() throws {
    let places = try Places()
    defer { CommandSystem.removeFolder(places.folder) }
    try places.set(0o600, "own/key")
    let path = "\(places.folder)/own/key"
    #expect(places.secret(path, limit: 3) == "own")
    #expect(places.secret(path, limit: 2).contains("longer than 2 bytes"))
    #expect(places.secret("\(places.folder)/own").contains("is no file"))
    #expect(places.secret("missing").contains("can't be read"))
  }

  @Test func aPipeIsNoFileAndHoldsNothingUp() throws {
    let places = try Places()
    defer { CommandSystem.removeFolder(places.folder) }
    #expect(mkfifo("\(places.folder)/own/pipe", 0o600) == 0)
    #expect(places.secret("pipe") == "\(places.folder)/own/pipe is no file")
  }
}
