/// What a change leaves to do: bounded work in entries of its own, done before anything else is
/// decided. It is journaled with the change, so that a crash in between loses nothing.
package struct FollowUp: Hashable, Sendable {
  /// The kinds of work. Numbers are on disk: never reuse one.
  package enum Kind: UInt8, Sendable {
    /// Quarter-hours of a transaction move to the label of its purchase.
    case relabel = 1
    /// Chain-addressed events of a transaction go to the purchase in force now.
    case rebook = 2
    /// Waiting readings of a chain are offered to its purchases.
    case attributeChain = 3
    /// Waiting readings of a customer are offered to its purchases.
    case attributeCustomer = 4
  }

  package var kind: Kind
  /// A transaction, an `originalTransactionId` or a customer's key.
  package var subject: ByteString

  /// Names a piece of work.
  package init(kind: Kind, subject: ByteString) {
    self.kind = kind
    self.subject = subject
  }
}

/// How far a ``FollowUp`` has come.
package struct FollowUpState: Hashable, Sendable {
  /// For ``FollowUp/Kind/relabel``: where the sums stand so far.
  package var from: Label
  /// For ``FollowUp/Kind/relabel``: facts up to here are done, a raw ``Location``.
  package var done: UInt64

  /// The state at some point of the work.
  package init(from: Label = .early, done: UInt64 = 0) {
    self.from = from
    self.done = done
  }
}
