import Metering

/// Runs on their way to become one of the next level: copied in slices as a run that isn't live,
/// made live with the last, so that a crash or fault at any point leaves the old runs or the new.
///
/// A merge that has thrown is to be dropped; what it wrote goes with the dead runs.
package protocol RunMerge: AnyObject {
  /// The runs that it reads.
  var sources: [Run] { get }
  /// Copies about ``StoreLimits/mergeSliceBytes`` within the caller's transaction; false when
  /// everything is copied.
  func copySlice() throws -> Bool
  /// Makes the new run live, within the caller's transaction.
  func finish() throws -> Run
}
