import Wire

extension MetricsText {
  /// What is held for connections, and what became of those that had to go.
  static func connections(_ figures: LoopFigures) -> [MetricFamily] {
    var open = MetricFamily("outlay_connections", .gauge, "Connections that are open.")
    open.add("\(figures.connections)")
    var ended = MetricFamily(
      "outlay_connections_ended", .counter,
      "Connections ended against their peer's will: a newcomer got the place, there was none, "
        + "answers weren't read, or a request didn't come in time.")
    for reason in LoopFigures.Reason.allCases {
      ended.add("\(figures.ended[reason] ?? 0)", ["reason": reason.rawValue])
    }
    var bodies = MetricFamily(
      "outlay_request_body_bytes", .gauge, "Bodies that are being read or answered.",
      unit: "bytes")
    bodies.add("\(figures.bodyBytes)")
    var unread = MetricFamily(
      "outlay_unread_answer_bytes", .gauge, "Answers that their peers haven't taken yet.",
      unit: "bytes")
    unread.add("\(figures.unreadBytes)")
    return [open, ended, bodies, unread]
  }
}
