/// Commands about refund cases. A case is a part of its purchase's record, so that its changes are
/// facts like any other change of the record.
extension Decider {
  private var instant: Instant { Instant(microseconds: now) }

  func open(
    _ request: CaseRequest, of id: ByteString, knowing knowledge: any Knowledge
  ) throws -> CaseOutcome {
    let known = try record(id, knowing: knowledge)
    var record = known ?? PurchaseRecord(transactionId: id)
    let (number, isNew) = record.ask(request, at: instant)
    if record != known { write(record) }
    guard let standing = standing(of: number, in: record) else { return .unknown }
    return isNew ? .opened(standing) : .joined(standing)
  }

  func claim(
    _ id: CaseID, by responder: ByteString, seconds: Int64, knowing knowledge: any Knowledge
  ) throws -> CaseOutcome {
    guard var record = try record(id.transaction, knowing: knowledge),
      let index = record.index(ofCase: id.number)
    else { return .unknown }
    switch record.cases[index].claim(by: responder, seconds: seconds, at: instant) {
    case .held(let claim): return .held(claim)
    case .alreadyAnswered: return .alreadyAnswered
    case .taken: break
    }
    write(record)
    return .claimed(record.standing(of: record.cases[index], at: instant))
  }

  func note(
    _ report: CaseReport, of id: CaseID, knowing knowledge: any Knowledge
  ) throws -> CaseOutcome {
    guard let known = try record(id.transaction, knowing: knowledge),
      let index = known.index(ofCase: id.number)
    else { return .unknown }
    var record = known
    switch record.cases[index].take(report, at: instant) {
    case .alreadyAnswered: return .alreadyAnswered
    case .known: break
    case .taken:
      if record.cases[index].response != nil {
        record.cases[index].response?.figures = try figures(of: known, knowing: knowledge)
      }
      write(record)
    }
    return .noted(record.standing(of: record.cases[index], at: instant))
  }

  /// The consumption answer while the case is still unanswered, for keeping: what this commit
  /// changes of usage isn't in it yet.
  private func figures(
    of record: PurchaseRecord, knowing knowledge: any Knowledge
  ) throws -> ByteString? {
    try knowledge.ask { reading in
      let chain = try ChainAccount(
        chain: record.chain, including: record.transactionId, from: reading,
        configuration: configuration)
      let account = try PurchaseAccount(
        record.transactionId, record: record, in: chain, from: reading, now: instant)
      return try ConsumptionAnswer(account)?.figures(limit: Limits.figuresBytes)
    }
  }

  private func standing(of number: Int64, in record: PurchaseRecord) -> CaseStanding? {
    record.index(ofCase: number).map { record.standing(of: record.cases[$0], at: instant) }
  }
}
