// Leaving: new connections go to another process where there is one, what is in flight is finished, and nobody who has come
// in time is sent away unheard.

import HTTP
import Posix
import TLS
import Telemetry

/// What a worker that was told to stop has still to do, and when.
struct Drain {
    let handOver: HandOver
    /// To have the last connections led elsewhere.
    var prepareAt: Int64?
    /// To close the listeners, and the connections that are silent.
    var closeAt: Int64?
    /// To close the connections that had only just come then.
    var sweepAt: Int64?
    /// To give up on what is still in flight.
    let deadline: Int64

    /// The next of these.
    var next: Int64 { min(prepareAt ?? deadline, closeAt ?? deadline, sweepAt ?? deadline) }
}

extension Worker {
    /// Rounds of accepting at the end: a full backlog, and not a flood without end.
    private static let lastRoundsMax = 128

    /// Does what is due.
    mutating func goOnDraining() {
        guard let drain else {
            if control.isDraining { beginDraining() }
            return
        }
        if let time = drain.prepareAt, now >= time { prepareToClose() }
        if let time = drain.closeAt, now >= time { endAccepting() }
        if let time = drain.sweepAt, now >= time {
            self.drain?.sweepAt = nil
            closeSilent(since: now)
        }
    }

    /// Goes on accepting for a while: connections may be on their way, and resetting them would look like a failure. Where
    /// another process shares the port, new ones are led there from now on.
    private mutating func beginDraining() {
        // Whoever is on the way must be taken even where descriptors had just run out.
        resumeAccepting()
        let others = listeners.indices.map { control.lead(of: $0) }
        let handOver = HandOver(worker: control.number, count: settings.workerCount, others: others)
        let deadline = now + limits.drainTimeoutMilliseconds
        let close = min(deadline, now + limits.drainIdleMilliseconds + handOver.delayMilliseconds)
        drain = Drain(
            handOver: handOver,
            prepareAt: handOver.delayMilliseconds > 0 ? close - HandOver.quietMilliseconds : nil, closeAt: close,
            deadline: deadline)
        for index in 0..<listeners.count {
            listeners[index].lead(to: others[index])
            // Who is silent shall show itself before the listener closes, or it would be reset at its first byte.
            listeners[index].stopDeferring()
        }
    }

    /// Connections go elsewhere even if they have come here meanwhile because another worker of ours has closed.
    private mutating func prepareToClose() {
        guard let handOver = drain?.handOver else { return }
        drain?.prepareAt = nil
        for index in 0..<listeners.count {
            listeners[index].lead(to: handOver.leadBeforeClosing(control.lead(of: index)))
        }
    }

    /// Takes those who came until now, and closes the listeners and the connections between requests.
    private mutating func endAccepting() {
        guard let handOver = drain?.handOver else { return }
        drain?.closeAt = nil
        for index in 0..<listeners.count {
            listeners[index].lead(to: handOver.leadWhileClosing(control.lead(of: index)))
            var rounds = 0
            while rounds < Worker.lastRoundsMax, accept(from: index) { rounds += 1 }
        }
        stopListening()
        for index in 0..<listeners.count { (listeners.baseAddress! + index).deinitialize(count: 1) }
        areListenersOpen = false
        // Who has just come is about to say something.
        closeSilent(since: now - limits.drainIdleMilliseconds)
        if table.count > 0 { drain?.sweepAt = now + limits.drainIdleMilliseconds }
    }

    /// Closes the connections that nothing is under way on, but for those that came later than `time` and have not been
    /// heard of yet.
    private mutating func closeSilent(since time: Int64) {
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 {
            guard isSilent(index, since: time) else { continue }
            // A request may have come in this very moment; its answer then ends the connection.
            receive(index)
            if table.slots[Int(index)].fd >= 0, isSilent(index, since: time) { closeGracefully(index, .drained) }
            reckon(index)
        }
    }

    private func isSilent(_ index: Int32, since time: Int64) -> Bool {
        let connection = table.slots[Int(index)]
        switch connection.phase {
        case .idle:
            if connection.outgoing != nil || connection.held.count > 0 { return false }
        case .handshake, .proxyHeader:
            if connection.receivedBytes > 0 { return false }
        case .certificate, .head, .body, .challenge, .lingering:
            return false
        }
        if connection.requestCount > 0 { return true }
        // Until then its deadline is the one it got when it came.
        let span =
            connection.deadline.kind == .hello || connection.deadline.kind == .handshake
            ? limits.handshakeTimeoutMilliseconds : limits.headTimeoutMilliseconds
        return connection.deadline.time - span <= time
    }

    /// Puts an end to what an earlier process has told the kernel.
    func standAlone() {
        guard areListenersOpen, drain == nil else { return }
        for index in 0..<listeners.count { listeners[index].leadNowhere() }
    }

    var isFinished: Bool {
        guard let drain, drain.closeAt == nil else { return false }
        return table.count == 0 || now >= drain.deadline
    }

    mutating func closeAll() {
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 { close(index, .drained) }
    }
}
