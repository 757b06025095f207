import Metering

/// The memtables and the ledger's snapshot as one: the newest layer wins for records, and sums of
/// all layers add up.
///
/// Which tables there are is taken down before the snapshot is opened, and one that the snapshot
/// covers already is left out. How they are looked into decides whether an answer stands at one
/// boundary: see ``TableLooks``.
package struct BooksSnapshot: StoreQueries {
  let view: LedgerView
  let looks: any TableLooks
  let hashKey: HashKey
  /// For reading single events back.
  let journal: Journal
  /// Single readings that were read already.
  var readBack = ReadBack()
  /// Called as the work goes on; throws when it has to end.
  var pace: () throws -> Void = {}

  func newest<Value>(_ name: Look, _ find: @escaping (Memtable) -> Value?) -> Value? {
    looks.look(name) { tables in
      for table in tables.reversed() {
        if let found = find(table) { return found }
      }
      return nil
    }
  }
}
