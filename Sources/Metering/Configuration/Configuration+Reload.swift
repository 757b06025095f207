extension Configuration {
  /// What a reload from `old` can't change, a sentence for each key that the file changed: the
  /// value of the start stays until the next one.
  package func reloadFaults(from old: Configuration) -> [String] {
    var changed: [String] = []
    if socketPath != old.socketPath { changed.append("socket.path") }
    if socketMode != old.socketMode { changed.append("socket.mode") }
    if socketGroup != old.socketGroup { changed.append("socket.group") }
    if metricsListen != old.metricsListen { changed.append("metrics.listen") }
    if storeDirectory != old.storeDirectory { changed.append("store.directory") }
    if dedupeDays != old.dedupeDays { changed.append("store.dedupeDays") }
    if retentionDays != old.retentionDays { changed.append("store.retentionDays") }
    if environments != old.environments { changed.append("environments") }
    return changed.map { "\($0): changes only at a restart; the old value stays" }
  }

  /// This configuration with everything that ``reloadFaults(from:)`` names as it was: what is in
  /// force after a reload.
  package func keepingWhatNeedsRestart(from old: Configuration) -> Configuration {
    var result = self
    result.socketPath = old.socketPath
    result.socketMode = old.socketMode
    result.socketGroup = old.socketGroup
    result.metricsListen = old.metricsListen
    result.storeDirectory = old.storeDirectory
    result.dedupeDays = old.dedupeDays
    result.retentionDays = old.retentionDays
    result.environments = old.environments
    return result
  }
}
