import Testing

@testable import Wire

@Suite struct ConnectionDeadlineTests {
  private let second: Int64 = 1_000_000_000

  @Test func theSameWaitIsNotProlonged() {
    var deadline = ConnectionDeadline()
    deadline.await(.head(number: 1), now: 0, ConnectionTimeouts())
    deadline.await(.head(number: 1), now: 5 * second, ConnectionTimeouts())
    #expect(deadline.instant == 10 * second)
    #expect(!deadline.isOver(10 * second - 1) && deadline.isOver(10 * second))
  }

  @Test func theNextWaitBeginsAnew() {
    var deadline = ConnectionDeadline()
    deadline.await(.request(number: 1), now: 0, ConnectionTimeouts())
    deadline.await(.request(number: 2), now: second, ConnectionTimeouts())
    #expect(deadline.instant == 76 * second)
    deadline.await(.write(sent: 1), now: second, ConnectionTimeouts())
    deadline.await(.write(sent: 2), now: 2 * second, ConnectionTimeouts())
    #expect(deadline.instant == 62 * second)
  }

  @Test func largeBodiesGetTimeForTheirSize() {
    var deadline = ConnectionDeadline()
    deadline.await(.body(number: 1, bytes: 1 << 20), now: 0, ConnectionTimeouts())
    #expect(deadline.instant == 34 * second)
  }

  @Test func ourOwnDelayHasNoDeadline() {
    var deadline = ConnectionDeadline()
    deadline.await(.linger, now: 0, ConnectionTimeouts())
    deadline.await(.nothing, now: 0, ConnectionTimeouts())
    #expect(!deadline.isOver(.max - 1))
  }

  @Test func theReserveIsKeptForSmallBodies() {
    var pool = BodyPool(capacity: 10, reserve: 4)
    let taken = [
      pool.take(6, small: false), pool.take(1, small: false), pool.take(4, small: true),
      pool.take(1, small: true),
    ]
    pool.give(10)
    #expect(taken == [true, false, true, false] && pool.used == 0)
  }
}
