// One thread's share of the server: its own listeners, its own poller, its own connections. Workers share the published
// catalogue, which they only read, and where TLS is spoken what is in memory of certificates and ticket keys. A plain request
// on a connection that is kept is served without a lock, a heap allocation or a counted reference.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The loop that accepts connections and moves each through its phases: the one place where the order of things is written
/// down. What belongs together has a type of its own.
@safe struct Worker: ~Copyable {
    let settings: EngineSettings
    let limits: Limits
    let control: WorkerControl
    /// Nil where no answers to challenges are looked for.
    let challenges: ChallengeReader?
    var acceptor: Acceptor
    var poller: Poller
    var table: ConnectionTable
    /// Received bytes of whichever connection is being served.
    let input: UnsafeMutableRawBufferPointer
    let layer: RecordLayer
    var catalogue: CatalogueInUse
    var writer: ResponseWriter
    var accounting: Accounting
    var now: Int64

    /// What a worker's connections may hold at the least, however many workers there are: some twenty handshakes.
    private static let heldBytesMin = 1_048_576
    /// Requests that one connection is answered before others get their turn.
    static let requestsPerTurnMax = 32
    /// What one receive takes at most, and a client can leave us with of requests whose answers it does not take.
    static let receivedBytesMax = 8_192
    /// What a session may have kept of a record that was cut (RFC 8446 §5.2, and room to spare).
    private static let recordBytesMax = 18_432
    /// Connections taken in one go, so that those already here get their turn.
    private static let acceptsPerRoundMax = 64
    /// Rounds of accepting at the end: a full backlog, and not a flood without end.
    private static let lastRoundsMax = 128
    private static let wakeUpToken: UInt64 = 0xFFFF_FFFF
    private static let readyToken: UInt64 = 0xFFFF_FFFE

    init(
        _ settings: EngineSettings, control: WorkerControl, published: PublishedCatalogue, queue: LoadingQueue?,
        addressCounts: AddressCounts?, listeners: UnsafeMutableBufferPointer<Listener>, recorder: Recorder,
        log: LogSink? = nil, challenges: ChallengeReader? = nil
    ) throws(Engine.StartError) {
        let poller: Poller
        let secure: SecureContext
        do throws(SystemError) { poller = try Poller() } catch { throw .cannotStart("\(error)") }
        guard poller.add(control.wakeUp.descriptor.number, .readable, token: Worker.wakeUpToken),
            poller.add(control.readyHandshakes.wakeUp.descriptor.number, .readable, token: Worker.readyToken)
        else {
            throw .cannotStart("the kernel watches no more descriptors for this user")
        }
        do throws(TLSError) {
            secure = try SecureContext(settings.secure, queue: queue, ready: control.readyHandshakes)
        } catch {
            throw .cannotStart("\(error)")
        }
        let limits = settings.limits
        self.settings = settings
        self.limits = limits
        self.control = control
        self.challenges = challenges
        acceptor = unsafe Acceptor(takingOwnershipOf: listeners, settings, addressCounts)
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
        acceptor.startListening(self.poller, now: now)
    }

    deinit { unsafe input.deallocate() }

    /// Serves until it is told to stop and everything in flight is finished or out of time.
    mutating func run() {
        while !isFinished {
            let count = poller.wait(milliseconds: waitMilliseconds)
            serve(count, at: Clock.monotonicMilliseconds())
        }
        unsafe forEachConnection { unsafe $0.close($1, .drained) }
        accounting.publishLog()
    }

    var isFinished: Bool { acceptor.isFinished(connectionCount: table.count, now: now) }

    /// One round: what the poller has just reported, then what is due.
    mutating func serve(_ eventCount: Int, at time: Int64) {
        now = time
        accounting.beginRound()
        writer.setDate(accounting.seconds)
        for index in 0..<eventCount { handle(poller.event(index)) }
        // Behind the events: a wake-up that was for a new catalogue is not forgotten before the catalogue is taken. Idle
        // workers let go of an old one here.
        catalogue.update()
        expireConnections()
        if let time = acceptor.acceptAgainAt, now >= time { acceptor.startListening(poller, now: now) }
        if control.takeStandingAlone() { acceptor.standAlone() }
        continueDraining()
        accounting.counters.setHeldBytes(table.heldBytes)
        accounting.endRound(eventCount, nowMilliseconds: now)
    }

    private mutating func handle(_ event: Poller.Event) {
        if event.token >> 32 == 0 {
            switch event.token {
            case Worker.wakeUpToken:
                control.wakeUp.clear()
                // Behind it: who asks before that is answered here, who asks later wakes this thread again.
                control.heartbeat.beat()
                resumeChallenges()
            case Worker.readyToken: resumeHandshakes()
            default: accept(from: Int(event.token))
            }
            return
        }
        // The connection may have ended earlier in this round.
        guard let slot = unsafe table.slot(of: event.token) else { return }
        if unsafe slot.pointee.interest == .writable {
            if event.isWritable { unsafe resumeSending(slot) }
        } else if event.isReadable {
            unsafe receive(slot)
        }
        unsafe reckon(slot)
    }

    private var waitMilliseconds: Int32 {
        var wait = table.deadlines.untilNext(now: now) ?? 60_000
        if let time = acceptor.acceptAgainAt { wait = min(wait, max(0, time - now)) }
        if let drain = acceptor.drain { wait = min(wait, max(0, drain.next - now)) }
        // The coarse clock lags by up to 4 ms: waking a little late saves a round that finds nothing.
        return Int32(min(wait + 4, 60_000))
    }

    /// Takes some of the connections that wait. True when more may be waiting.
    @discardableResult
    private mutating func accept(from listener: Int) -> Bool {
        var peer = SocketAddress.unknown
        for _ in 0..<Worker.acceptsPerRoundMax {
            switch acceptor.accept(from: listener, peer: &peer, poller, now: now) {
            case .accepted(let fd): admit(fd, from: RemoteAddress(peer), at: listener)
            case .lost: continue
            case .nobody, .exhausted: return false
            }
        }
        return true
    }

    private mutating func expireConnections() {
        while let slot = unsafe table.deadlines.nextExpired(now: now) {
            guard let kind = unsafe slot.pointee.deadline.kind else {
                preconditionFailure("a deadline that passes has a kind")
            }
            if unsafe slot.pointee.hasProgressed(limits) {
                unsafe slot.pointee.progress = 0
                unsafe table.deadlines.set(kind, slot, now: now)
            } else if case .head = unsafe slot.pointee.phase, unsafe slot.pointee.outgoing == nil, kind == .head {
                unsafe rejectLateHead(slot)
                unsafe reckon(slot)
            } else if unsafe !(kind == .idle || kind == .linger) || !isTaking(slot) {
                if unsafe unacknowledgedBytes(slot.pointee.fd) > 0 { unsafe abandonUnsent(slot.pointee.fd) }
                unsafe close(slot, kind == .idle ? .idle : .deadline)
            }
        }
    }

    /// Whether the client is still taking what lies in the kernel's buffers, in which case it gets more time. A client that
    /// takes nothing would otherwise keep them for as long as it likes, after we have long forgotten it. Only silence and
    /// the end wait for that: what has to come in a given time may come without taking anything.
    private mutating func isTaking(_ slot: Slot) -> Bool {
        let untaken = unsafe unacknowledgedBytes(slot.pointee.fd)
        let before = unsafe slot.pointee.untakenBytes
        let wanted = Int(limits.lingerTimeoutMilliseconds) * limits.writeBytesPerSecondMin / 1_000
        if untaken == 0 || before > 0 && before - untaken < max(1, wanted) { return false }
        unsafe slot.pointee.untakenBytes = untaken
        unsafe table.deadlines.set(.linger, slot, now: now)
        return true
    }

    private mutating func continueDraining() {
        guard let drain = acceptor.drain else {
            if !control.isDraining { return }
            // Connections on their way must be taken even where descriptors had just run out.
            acceptor.startListening(poller, now: now)
            return acceptor.beginDraining(control, settings, now: now)
        }
        if let time = drain.prepareAt, now >= time { acceptor.prepareToClose(control) }
        if let time = drain.closeAt, now >= time { endAccepting() }
        if let time = drain.sweepAt, now >= time {
            acceptor.endSweep()
            closeSilent(since: now)
        }
    }

    /// Takes the connections that came until now, and closes the listeners and the connections between requests.
    private mutating func endAccepting() {
        acceptor.beginClosing(control)
        for listener in 0..<acceptor.listenerCount {
            var rounds = 0
            while rounds < Worker.lastRoundsMax, accept(from: listener) { rounds += 1 }
        }
        acceptor.closeListeners(poller, sweepAt: now + limits.drainIdleMilliseconds)
        // A client that has just come is about to say something.
        closeSilent(since: now - limits.drainIdleMilliseconds)
    }

    /// Closes the connections that nothing is under way on, but for those that came later than `time` and have not been
    /// heard of yet.
    private mutating func closeSilent(since time: Int64) {
        unsafe forEachConnection { worker, slot in
            guard unsafe slot.pointee.isSilent(since: time, worker.limits) else { return }
            // A request may have come in this very moment; its answer then ends the connection.
            unsafe worker.receive(slot)
            if unsafe slot.pointee.fd >= 0, unsafe slot.pointee.isSilent(since: time, worker.limits) {
                unsafe worker.closeGracefully(slot, .drained)
            }
            unsafe worker.reckon(slot)
        }
    }

    private mutating func forEachConnection(_ body: (inout Worker, Slot) -> Void) {
        for index in 0..<table.slotCount where unsafe table.slots[index].fd >= 0 {
            unsafe body(&self, table.slots + index)
        }
    }
}

/// The catalogue that a worker answers from, and the number under which it was published.
@safe struct CatalogueInUse: ~Copyable {
    private let published: PublishedCatalogue
    private var catalogue: Catalogue
    private var generation: Int
    private(set) var view: CatalogueView
    /// The catalogue, for those who have to keep it: naming it so counts nothing.
    private(set) var owner: Unmanaged<Catalogue>

    init(_ published: PublishedCatalogue) {
        self.published = published
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        unsafe owner = .passUnretained(catalogue)
    }

    /// Called once per round, and whenever something was received, so that no request that came after a publication is
    /// answered from before it. It costs one load of a number.
    mutating func update() {
        if published.generation == generation { return }
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        unsafe owner = .passUnretained(catalogue)
    }
}
