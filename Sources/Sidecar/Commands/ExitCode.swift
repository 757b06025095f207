/// What the program tells its caller; contract §6.
package enum ExitCode {
  /// All went right.
  package static let success: Int32 = 0
  /// The work failed.
  package static let failure: Int32 = 1
  /// The command line can't be obeyed.
  package static let usage: Int32 = 2
  /// The configuration is faulty.
  package static let configuration: Int32 = 78
}
