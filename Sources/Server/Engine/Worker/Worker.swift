// One thread of the data plane, with its own listeners, poller and connections. Workers share the published catalogue, which they
// only read, and for TLS the certificates in memory and the ticket keys. A plain request on an existing connection is served
// without a lock, a heap allocation or a reference count.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The loop that accepts connections and moves each through its phases. Here is the order of the steps; the parts have types of
/// their own.
@safe struct Worker: ~Copyable {
    let settings: EngineSettings
    let limits: Limits
    let control: WorkerMailboxes
    /// Nil if challenges are not answered.
    let challenges: ChallengeQueue?
    private let queue: CertificateQueue?
    var acceptor: Acceptor
    var poller: Poller
    var table: ConnectionTable
    /// Received bytes of the connection that is being served.
    let input: UnsafeMutableRawBufferPointer
    let layer: RecordLayer
    var catalogue: CatalogueInUse
    var writer: ResponseWriter
    var accounting: Accounting
    /// Handshakes whose key is slow. Hosts take turns, and within each host its networks do.
    var turns = FairLine<(token: UInt64, certificate: CertificateLookup)>()
    var now: Int64

    /// The least memory limit of a worker's connections, however many workers there are: some twenty handshakes.
    private static let heldBytesMin = 1_048_576
    /// Requests of one connection that are answered before others get their turn.
    static let requestsPerTurnMax = 32
    /// The most bytes of one receive. Also the most unused bytes that are held for a client that does not read its answers.
    static let receivedBytesMax = 8_192
    /// The most bytes of a partial record that a session may hold (RFC 8446 §5.2, and some more).
    private static let recordBytesMax = 18_432
    /// Connections that are accepted at once, so that existing ones get their turn.
    static let acceptsPerRoundMax = 64
    /// Rounds of accepting before the listeners close: enough for a full backlog, but not endless in a flood.
    private static let lastRoundsMax = 128
    private static let wakeUpToken: UInt64 = 0xFFFF_FFFF
    private static let readyToken: UInt64 = 0xFFFF_FFFE
    private static let challengesToken: UInt64 = 0xFFFF_FFFD

    init(
        _ settings: EngineSettings, control: WorkerMailboxes, published: PublishedCatalogue, queue: CertificateQueue?,
        addressCounts: AddressCounts?, recorder: Recorder, log: LogSink? = nil, challenges: ChallengeQueue? = nil
    ) throws(Engine.StartError) {
        let poller = try Engine.starting { try Poller() }
        let acceptor = try Engine.starting { try Acceptor(settings, worker: control.number, addressCounts) }
        guard poller.add(control.wakeUp.descriptor.number, .readable, token: Worker.wakeUpToken),
            poller.add(control.readyHandshakes.descriptor, .readable, token: Worker.readyToken),
            poller.add(control.challenges.descriptor, .readable, token: Worker.challengesToken)
        else {
            throw Engine.StartError(reason: "the kernel watches no more descriptors for this user")
        }
        let secure = try Engine.starting {
            try SecureContext(settings.secure, queue: queue, replies: control.readyHandshakes)
        }
        let limits = settings.limits
        var settings = settings
        // The worker has its own, and closes them when it ends.
        settings.listeners = []
        (self.settings, self.limits, self.control) = (settings, limits, control)
        (self.challenges, self.queue) = (challenges, queue)
        self.acceptor = acceptor
        self.poller = poller
        table = ConnectionTable(
            capacity: max(16, limits.connectionsMax / settings.workerCount),
            heldBytesMax: max(Worker.heldBytesMin, limits.heldBytesMax / settings.workerCount), limits)
        unsafe input = .allocate(
            byteCount: limits.head.headBytesMax + Worker.receivedBytesMax + Worker.recordBytesMax, alignment: 64)
        layer = RecordLayer(secure, receivedBytesMax: Worker.receivedBytesMax)
        catalogue = CatalogueInUse(published)
        writer = ResponseWriter(settings)
        accounting = Accounting(recorder, log: log)
        now = Clock.monotonicMilliseconds()
        self.acceptor.startListening(self.poller, now: now)
    }

    deinit { unsafe input.deallocate() }

    /// Serves until it is stopped, and all requests are finished or the drain time is over.
    mutating func run() {
        while !isFinished {
            let count = poller.wait(milliseconds: waitMilliseconds)
            serve(count, at: Clock.monotonicMilliseconds())
        }
        forEachConnection { $0.close($1, .drained) }
        accounting.publishLog()
    }

    var isFinished: Bool { acceptor.isFinished(connectionCount: table.count, now: now) }

    /// One round: handles the events of the poller, then everything that is due.
    mutating func serve(_ eventCount: Int, at time: Int64) {
        now = time
        accounting.beginRound()
        writer.setDate(accounting.seconds)
        for index in 0..<eventCount { handle(poller.event(index)) }
        // After the events, so that a wake-up for a new catalogue is not cleared before the catalogue is taken. Idle workers
        // release the old one here.
        catalogue.update()
        expireConnections()
        takeTurn()
        if let time = acceptor.acceptAgainAt, now >= time { acceptor.startListening(poller, now: now) }
        continueDraining()
        accounting.counters.setHeldBytes(table.heldBytes)
        accounting.endRound(eventCount, nowMilliseconds: now)
    }

    private mutating func handle(_ event: Poller.Event) {
        if event.token >> 32 == 0 {
            switch event.token {
            case Worker.wakeUpToken:
                control.wakeUp.clear()
                // After clearing: an earlier heartbeat is answered here, a later one wakes this thread again.
                control.heartbeat.beat()
            case Worker.readyToken: resumeHandshakes()
            case Worker.challengesToken: resumeChallenges()
            default: accept(from: Int(event.token))
            }
            return
        }
        // The connection may have ended earlier in this round.
        guard let slot = table.slot(of: event.token) else { return }
        if slot.connection.interest == .end {
            if event.isEnd { close(slot, .client) }
        } else if slot.connection.interest == .writable {
            if event.isWritable { resumeSending(slot) }
        } else if event.isReadable {
            receive(slot)
        }
        limitMemory(after: slot)
    }

    private var waitMilliseconds: Int32 {
        if turns.count > 0 { return 0 }
        var wait = table.deadlines.untilNext(now: now) ?? 60_000
        if let time = acceptor.acceptAgainAt { wait = min(wait, max(0, time - now)) }
        if let drain = acceptor.drain { wait = min(wait, max(0, drain.next - now)) }
        // The coarse clock lags by up to 4 ms; waking a little late saves a round in which nothing is due.
        return Int32(min(wait + 4, 60_000))
    }

    /// Forgets what a connection that closes has asked for.
    func forgetQuestion(_ slot: Slot) {
        switch slot.connection.phase {
        case .certificate: queue?.forget(table.token(slot), of: control.readyHandshakes)
        case .challenge: challenges?.forget(table.token(slot), of: control.challenges)
        case .proxyHeader, .handshake, .idle, .head, .body, .lingering: break
        }
    }

    private mutating func expireConnections() {
        while let slot = table.deadlines.nextExpired(now: now) {
            guard let kind = slot.connection.deadline.kind else {
                preconditionFailure("a deadline has a kind")
            }
            if slot.connection.hasProgressed(limits) {
                slot.connection.progress = 0
                table.deadlines.set(kind, slot, now: now)
            } else if case .head = slot.connection.phase, slot.connection.outgoing == nil, kind == .head {
                rejectLateHead(slot)
                limitMemory(after: slot)
            } else if !(kind == .idle || kind == .linger) || !isStillReading(slot) {
                if unacknowledgedBytes(slot.connection.fd) > 0 { abandonUnsent(slot.connection.fd) }
                close(slot, kind == .idle ? .idle : .deadline)
            }
        }
    }

    /// Whether the client is still reading from the kernel's send buffer; it then gets more time. Checked only for idle and
    /// lingering connections: closing one of a client that does not read would leave its send buffer in the kernel for long.
    private mutating func isStillReading(_ slot: Slot) -> Bool {
        let untaken = unacknowledgedBytes(slot.connection.fd)
        let before = slot.connection.untakenBytes
        let wanted = Int(limits.lingerTimeoutMilliseconds) * limits.writeBytesPerSecondMin / 1_000
        if untaken == 0 || before > 0 && before - untaken < max(1, wanted) { return false }
        slot.connection.untakenBytes = untaken
        table.deadlines.set(.linger, slot, now: now)
        return true
    }

    private mutating func continueDraining() {
        guard let drain = acceptor.drain else {
            guard let draining = control.draining else { return }
            acceptor.beginDraining(isTakenOver: draining == .takenOver, limits, now: now)
            switch draining {
            // Waiting connections must be accepted even if accepting was paused.
            case .stop: acceptor.startListening(poller, now: now)
            case .takenOver: endAccepting()
            }
            return
        }
        if let time = drain.closeAt, now >= time {
            endAccepting()
            acceptor.endClosing(sweepAt: now + limits.drainIdleMilliseconds)
            // A new client is about to send its request.
            closeSilent(since: now - limits.drainIdleMilliseconds)
        }
        if let time = drain.sweepAt, now >= time {
            acceptor.endSweep()
            closeSilent(since: now)
        }
    }

    /// Accepts the waiting connections, then closes the listeners.
    private mutating func endAccepting() {
        if !acceptor.areListenersOpen { return }
        // First: the kernel has perhaps told only this worker of a connection, and tells others of those that come from here on.
        acceptor.stopListening(poller)
        for listener in acceptor.listeners.indices {
            var rounds = 0
            while rounds < Worker.lastRoundsMax, accept(from: listener) { rounds += 1 }
        }
        acceptor.closeListeners(poller)
    }

    /// Closes idle connections, except those that were accepted after `time` and have sent nothing yet.
    private mutating func closeSilent(since time: Int64) {
        forEachConnection { worker, slot in
            guard slot.connection.isSilent(since: time, worker.limits) else { return }
            // A request may just have arrived; its answer then ends the connection.
            worker.receive(slot)
            if slot.connection.fd >= 0, slot.connection.isSilent(since: time, worker.limits) {
                worker.closeGracefully(slot, .drained)
            }
            worker.limitMemory(after: slot)
        }
    }

    private mutating func forEachConnection(_ body: (inout Worker, Slot) -> Void) {
        for index in 0..<table.slotCount where table.slot(index).connection.fd >= 0 {
            body(&self, table.slot(index))
        }
    }
}

/// The catalogue that a worker uses, and its publication number.
@safe struct CatalogueInUse: ~Copyable {
    private let published: PublishedCatalogue
    private var catalogue: Catalogue
    private var generation: Int
    private(set) var view: CatalogueView
    /// The catalogue, for code that retains it; passing it in this way counts no reference.
    private(set) var owner: Unmanaged<Catalogue>

    init(_ published: PublishedCatalogue) {
        self.published = published
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        unsafe owner = .passUnretained(catalogue)
    }

    /// Takes a newly published catalogue. Called once per round and for all received bytes, so that a request after a publication
    /// is never answered from the old catalogue. It costs one load of a number.
    mutating func update() {
        if published.generation == generation { return }
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        unsafe owner = .passUnretained(catalogue)
    }
}
