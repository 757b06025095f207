package import Metering

extension Ledger {
  /// Writes what customers said of sharing consumption data.
  func flushConsents(_ table: Memtable) throws {
    let consent = try connection.cached("INSERT OR REPLACE INTO consent VALUES (?, ?, ?)")
    for (customer, answers) in table.consents {
      for (at, given) in answers {
        consent.bind(1, customer)
        consent.bind(2, at)
        consent.bind(3, given ? 1 : 0)
        try consent.run()
      }
    }
  }

  /// Writes which customers chains were linked to.
  func flushLinks(_ table: Memtable) throws {
    let link = try connection.cached("INSERT OR REPLACE INTO chain VALUES (?, ?, ?)")
    for (chain, customer) in table.links {
      link.bind(1, chain)
      link.bind(2, customer)
      link.bind(3, customer.customerKey)
      try link.run()
    }
  }
}

extension LedgerView {
  func link(_ chain: ByteString) throws -> ByteString? {
    let statement = try connection.cached("SELECT customer FROM chain WHERE original = ?")
    statement.bind(1, chain)
    var customer: ByteString?
    try statement.forEach { customer = $0.bytes(0) }
    return customer
  }

  /// Chains linked to the customer with this key.
  func chains(of customer: ByteString) throws -> [ByteString] {
    let statement = try connection.cached("SELECT original FROM chain WHERE key = ?")
    statement.bind(1, customer)
    var chains: [ByteString] = []
    try statement.forEach { chains.append($0.bytes(0)) }
    return chains
  }

  func consent(of customer: ByteString) throws -> [(Int64, Bool)] {
    let statement = try connection.cached("SELECT at, given FROM consent WHERE customer = ?")
    statement.bind(1, customer)
    var answers: [(Int64, Bool)] = []
    try statement.forEach { answers.append(($0.integer(0), $0.integer(1) != 0)) }
    return answers
  }
}

extension BooksSnapshot {
  package func linkedCustomer(ofChain original: ByteString) throws -> ByteString? {
    if let found = newest(.link(original), { $0.links[original] }) { return found }
    return try view.link(original)
  }
}
