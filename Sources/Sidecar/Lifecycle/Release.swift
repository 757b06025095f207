/// Which release this is.
package enum Release {
  /// Semantic version, as `--version` and `outlay_build_info` tell it.
  package static let version = "0.1.0"
}
