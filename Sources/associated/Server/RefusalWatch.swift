// Adds up once a minute how many connections and handshakes the server has refused. The workers only count them.

import Administration
import Engine
import Telemetry

struct RefusalWatch {
    private var nextMilliseconds: Int64
    private var connections: UInt64 = 0
    private var handshakes: UInt64 = 0

    private static let minuteMilliseconds: Int64 = 60_000

    init(now: Int64) { nextMilliseconds = now + RefusalWatch.minuteMilliseconds }

    /// What has happened in the minute that is over; nil where none is.
    mutating func look(at engine: Engine, now: Int64) -> RefusalFigures? {
        if now < nextMilliseconds { return nil }
        nextMilliseconds = now + RefusalWatch.minuteMilliseconds
        let former = (connections, handshakes)
        connections = engine.records.total(.connectionsRefused(.tooManyFromAddress))
        handshakes = engine.records.total(.handshakes(.timedOut))
        var figures = RefusalFigures()
        figures.connections = Int(clamping: connections &- former.0)
        figures.handshakes = Int(clamping: handshakes &- former.1)
        if let most = engine.takeMostRefused() { (figures.network, figures.ofNetwork) = most }
        return figures
    }
}
