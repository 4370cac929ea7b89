// One thread's share of the server: its own listeners, its own poller, its own connections. Workers share the published
// catalogue, which they only read, and where TLS is spoken what is in memory of certificates and ticket keys. A plain request
// on a connection that is kept is served without a lock, a heap allocation or a counted reference.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The loop that accepts connections and moves each through its phases.
struct Worker: ~Copyable {
    let settings: EngineSettings
    let limits: Limits
    let control: WorkerControl
    let published: PublishedCatalogue
    /// The first of them speak plain HTTP, the others TLS.
    let listeners: UnsafeMutableBufferPointer<Listener>
    let plainListenerCount: Int
    /// Of each listener.
    let expectsProxyHeader: [Bool]
    var areListenersOpen = true
    var poller: Poller
    var table: ConnectionTable
    var deadlines: Deadlines
    /// Received bytes of whichever connection is being served.
    let input: UnsafeMutableRawBufferPointer
    /// Received TLS records of whichever connection is being served; what is in them is then put into `input`.
    let records: UnsafeMutableRawBufferPointer
    let secure: SecureContext
    /// Nil where no answers to challenges are looked for.
    let challenges: ChallengeReader?
    /// Handshakes under way.
    var handshakeCount = 0
    let handshakesMax: Int
    /// What its connections hold in memory, and how much that may be.
    var heldBytes = 0
    let heldBytesMax: Int
    /// Answers to whichever connection is being served.
    var output: Output
    var wire: WireText
    let recorder: Recorder
    /// Nil where no access log is written.
    var log: LogSink?
    /// The requests of whichever connection is being served, until their answers are handed over.
    var exchanges = Exchanges()
    var now: Int64
    /// When the poller came back, and the last look at the clock since, exactly.
    var roundBeganMicroseconds: Int64 = 0
    var lastLookMicroseconds: Int64 = 0
    /// What to add to that clock for the time on the wall.
    var wallOffsetMicroseconds: Int64 = 0
    var isAccepting = false
    /// When to accept again after descriptors had run out; nil while accepting.
    var acceptAgainAt: Int64?
    /// Nil until the worker is told to stop.
    var drain: Drain?
    /// Shared with the other workers; nil when addresses are not limited.
    let addressCounts: AddressCounts?
    /// The catalogue in use and the number under which it was published.
    var catalogue: Catalogue
    var view: CatalogueView
    var generation: Int
    /// The catalogue in use, for those who have to keep it: naming it so counts nothing.
    var owner: Unmanaged<Catalogue>

    /// What a worker's connections may hold at the least, however many workers there are: some twenty handshakes.
    private static let heldBytesMin = 1_048_576
    /// Requests that one connection is answered before others get their turn.
    static let requestsPerTurnMax = 32
    /// Answers of a connection are sent when they are this long together, so that a client that takes none of them leaves us
    /// with no more.
    static let batchBytesMax = 12_288
    /// Bodies up to this size are copied behind their heads, so that an answer is one write; larger ones are sent from
    /// where they are. Below it a copy costs less than the second buffer of a gathered write.
    static let copiedBodyBytesMax = 16_384
    /// What the lines of one response take at most, without the body, and without a redirect's copy of the request line.
    static let responseHeadBytesMax = 4_096
    /// What one answer may put into the output: there is room for at least one.
    let answerBytesMax: Int
    /// What one receive takes at most, and a client can leave us with of requests whose answers it does not take.
    static let receivedBytesMax = 8_192
    /// What a session may have kept of a record that was cut (RFC 8446 §5.2, and room to spare).
    static let recordBytesMax = 18_432
    static let wakeUpToken: UInt64 = 0xFFFF_FFFF
    static let readyToken: UInt64 = 0xFFFF_FFFE

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
        self.recorder = recorder
        self.log = log
        self.challenges = challenges
        self.secure = secure
        plainListenerCount = settings.listening.plain.count
        expectsProxyHeader = settings.expectsProxyHeader
        handshakesMax = max(16, limits.handshakesMax / settings.workerCount)
        heldBytesMax = max(Worker.heldBytesMin, limits.heldBytesMax / settings.workerCount)
        wire = WireText(settings)
        records = .allocate(byteCount: Worker.receivedBytesMax, alignment: 64)
        self.addressCounts = addressCounts
        self.limits = limits
        self.control = control
        self.published = published
        self.listeners = listeners
        self.poller = poller
        table = ConnectionTable(capacity: max(16, limits.connectionsMax / settings.workerCount))
        deadlines = Deadlines(limits)
        input = .allocate(
            byteCount: limits.head.headBytesMax + Worker.receivedBytesMax + Worker.recordBytesMax, alignment: 64)
        answerBytesMax = Worker.copiedBodyBytesMax + Worker.responseHeadBytesMax + limits.head.requestLineBytesMax
        output = Output(byteCount: Worker.batchBytesMax + answerBytesMax)
        now = Clock.monotonicMilliseconds()
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        owner = .passUnretained(catalogue)
        listen()
    }

    deinit {
        if areListenersOpen {
            for index in 0..<listeners.count { (listeners.baseAddress! + index).deinitialize(count: 1) }
        }
        listeners.deallocate()
        input.deallocate()
        records.deallocate()
    }

    /// Serves until it is told to stop and everything in flight is finished or out of time.
    mutating func run() {
        while !isFinished {
            let count = poller.wait(milliseconds: waitMilliseconds)
            serve(count, at: Clock.monotonicMilliseconds())
        }
        closeAll()
        log?.publish()
    }

    /// One round: what the poller has just reported, then what is due.
    mutating func serve(_ eventCount: Int, at time: Int64) {
        now = time
        beginRound()
        for index in 0..<eventCount { handle(poller.event(index)) }
        // Behind the events: a wake-up that was for a new catalogue is not forgotten before the catalogue is taken.
        takeNewCatalogue()
        expireConnections()
        if let time = acceptAgainAt, now >= time { resumeAccepting() }
        if control.takeStandingAlone() { standAlone() }
        goOnDraining()
        recorder.counters.setHeldBytes(heldBytes)
        endRound(eventCount)
    }

    private mutating func handle(_ event: Poller.Event) {
        if event.token >> 32 == 0 {
            switch event.token {
            case Worker.wakeUpToken:
                control.wakeUp.clear()
                // Behind it: whoever asks before that is answered here, whoever asks later wakes this thread again.
                control.heartbeat.beat()
                resumeChallenges()
            case Worker.readyToken: resumeHandshakes()
            default: accept(from: Int(event.token))
            }
            return
        }
        // The connection may have ended earlier in this round.
        guard let index = table.index(of: event.token) else { return }
        if table.slots[Int(index)].interest == .writable {
            if event.isWritable { resumeSending(index) }
        } else if event.isReadable {
            receive(index)
        }
        reckon(index)
    }

    /// Called once per round, so that idle workers let go of an old catalogue, and whenever something was received, so
    /// that no request that came after a publication is answered from before it. It costs one load of a number.
    mutating func takeNewCatalogue() {
        if published.generation == generation { return }
        generation = published.generation
        catalogue = published.current
        view = catalogue.view
        owner = .passUnretained(catalogue)
    }

    private var waitMilliseconds: Int32 {
        var wait = deadlines.untilNext(now: now, in: table.slots) ?? 60_000
        if let time = acceptAgainAt { wait = min(wait, max(0, time - now)) }
        if let drain { wait = min(wait, max(0, drain.next - now)) }
        // The coarse clock lags by up to 4 ms: waking a little late saves a round that finds nothing.
        return Int32(min(wait + 4, 60_000))
    }

    private mutating func expireConnections() {
        while let index = deadlines.nextExpired(now: now, in: table.slots) {
            let slot = table.slots + Int(index)
            guard let kind = slot.pointee.deadline.kind else {
                preconditionFailure("a deadline that passes has a kind")
            }
            if hasProgressed(slot, kind) {
                slot.pointee.progress = 0
                deadlines.set(kind, for: index, now: now, in: table.slots)
            } else if case .head = slot.pointee.phase, slot.pointee.outgoing == nil, kind == .head {
                rejectLateHead(index)
                reckon(index)
            } else if !(kind == .idle || kind == .linger) || !isTaking(index) {
                if unacknowledgedBytes(slot.pointee.fd) > 0 { abandonUnsent(slot.pointee.fd) }
                close(index, kind == .idle ? .idle : .deadline)
            }
        }
    }

    /// Whether the client is still taking what lies in the kernel's buffers, in which case it gets more time. A client that
    /// takes nothing would otherwise keep them for as long as it likes, after we have long forgotten it. Only silence and
    /// the end wait for that: what has to come in a given time may come without taking anything.
    private mutating func isTaking(_ index: Int32) -> Bool {
        let slot = table.slots + Int(index)
        let untaken = unacknowledgedBytes(slot.pointee.fd)
        let before = slot.pointee.untakenBytes
        let wanted = Int(limits.lingerTimeoutMilliseconds) * limits.writeBytesPerSecondMin / 1_000
        if untaken == 0 || before > 0 && before - untaken < max(1, wanted) { return false }
        slot.pointee.untakenBytes = untaken
        deadlines.set(.linger, for: index, now: now, in: table.slots)
        return true
    }

    /// Whether enough was moved since the deadline was set for another one. Heads and silence get none.
    private func hasProgressed(_ slot: UnsafeMutablePointer<Connection>, _ kind: DeadlineKind) -> Bool {
        let (span, rate) =
            switch kind {
            case .body: (limits.bodyTimeoutMilliseconds, limits.bodyBytesPerSecondMin)
            case .write: (limits.writeTimeoutMilliseconds, limits.writeBytesPerSecondMin)
            case .idle, .hello, .handshake, .head, .linger: (0, 0)
            }
        return span > 0 && slot.pointee.progress > 0 && slot.pointee.progress >= Int(span) * rate / 1_000
    }
}
