/// The version of the program and of what it serves.
package enum ProgramVersion {
  /// As `--version` and `outlay_build_info` say it.
  package static let text = "0.1.0"
}
