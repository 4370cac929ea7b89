// The data plane as the rest of the program sees it: started with addresses and a catalogue, told when the catalogue has
// changed, told to stop. It knows nothing of where catalogues come from.

public import Catalogue
import HTTP
public import Posix
import Synchronization
import TLS
public import Telemetry

/// Workers, one per processor unless told otherwise, each with its own listeners.
public final class Engine: Sendable {
    /// The addresses in use where plain HTTP is spoken, in the order in which they were asked for.
    public let addresses: [SocketAddress]
    /// Those where TLS is spoken.
    public let secureAddresses: [SocketAddress]
    /// What the workers have seen.
    public let records: Records
    private let addressCounts: AddressCounts?
    /// The access log, kept for as long as the workers write to it.
    public let journal: Journal?
    private let controls: [WorkerControl]
    private let threads: Threads
    private let neighbours: Mutex<[Neighbours]>
    private let readers: CertificateReaders?
    private let challenges: ChallengeReader?

    /// Why the engine could not start.
    public enum StartError: Error, CustomStringConvertible {
        case cannotListen(SocketAddress, SystemError)
        case cannotStart(String)

        public var description: String {
            switch self {
            case .cannotListen(let address, let error):
                "cannot listen on \(address): \(error.reason)\(error.remedy(listeningOn: address))"
            case .cannotStart(let reason): "cannot start a worker: \(reason)"
            }
        }
    }

    /// Listens and serves.
    public convenience init(_ settings: EngineSettings, published: PublishedCatalogue) throws(StartError) {
        try self.init(settings, published: published, on: try Engine.listen(settings))
    }

    /// Serves on the sockets that were opened with these settings. The threads of the engine are started here and not
    /// before, so what the process gives up between the two is given up by all of them.
    public init(
        _ settings: EngineSettings, published: PublishedCatalogue, on sockets: WorkerListeners
    ) throws(StartError) {
        precondition(settings.workerCount > 0, "somebody has to work")
        let (plain, secure) = settings.listening
        precondition(secure.isEmpty || settings.secure != nil, "TLS needs certificates")
        addresses = Array(sockets.addresses.prefix(plain.count))
        secureAddresses = Array(sockets.addresses.dropFirst(plain.count))
        var settings = settings
        settings.limits.connectionsMax = Engine.connectionsMax(settings)
        // Known only now, because port 0 has been settled.
        settings.publicSecurePort = settings.publicSecurePort ?? secureAddresses.first { !$0.isUnix }?.port
        neighbours = Mutex(sockets.neighbours)
        let records = settings.records ?? Records(workerCount: settings.workerCount)
        precondition(records.workerCount == settings.workerCount, "every worker has records of its own")
        self.records = records
        journal = settings.journal
        var controls: [WorkerControl] = []
        let threads = Threads(capacity: settings.workerCount)
        var readers: CertificateReaders?
        if let secure = settings.secure { readers = try CertificateReaders(secure.certificates) }
        let challenges: ChallengeReader? = if let find = settings.challenges { try ChallengeReader(find) } else { nil }
        let addressCounts = AddressCounts(limit: settings.limits.connectionsPerAddressMax)
        self.addressCounts = addressCounts
        do throws(StartError) {
            for worker in 0..<settings.workerCount {
                let control = try Engine.makeControl(worker)
                unsafe threads.append(
                    try Engine.start(
                        Worker(
                            settings, control: control, published: published, queue: readers?.queue,
                            addressCounts: addressCounts,
                            listeners: sockets.take(worker), recorder: records.recorder(worker),
                            log: settings.journal?.sink(worker), challenges: challenges),
                        number: worker))
                controls.append(control)
            }
        } catch {
            for control in controls { control.drain() }
            threads.join()
            readers?.end()
            challenges?.end()
            throw error
        }
        self.readers = readers
        self.challenges = challenges
        self.controls = controls
        self.threads = threads
    }

    /// As many connections as there are descriptors for, and some to spare: with none left no certificate could be read.
    private static func connectionsMax(_ settings: EngineSettings) -> Int {
        min(settings.limits.connectionsMax, max(16, DescriptorLimit.count - descriptorsKept))
    }

    /// Descriptors that connections leave to others: listeners, files that are being read, large pages that are kept open.
    public static let descriptorsKept = 256

    private static func makeControl(_ number: Int) throws(StartError) -> WorkerControl {
        do { return try WorkerControl(number: number) } catch { throw .cannotStart("\(error)") }
    }

    private static func start(_ worker: consuming Worker, number: Int) throws(StartError) -> Thread {
        do {
            return try Thread(name: "worker \(number)", owning: worker) { $0.run() }
        } catch {
            throw .cannotStart("\(error)")
        }
    }

    /// The network that was refused most connections since the last call, for having too many, and how many; nil where none was.
    public func takeMostRefused() -> (network: String, count: Int)? { addressCounts?.takeMostRefused() }

    /// Makes idle workers notice a newly published catalogue, so that the one before it can go.
    public func catalogueChanged() {
        for control in controls { control.wakeUp.wake() }
    }

    /// For how long each worker has owed a sign of life, in milliseconds; 0 for one that is as it should be. Asks them for
    /// the next one, so it is to be called again and again, by whichever thread.
    public func silences() -> [Int64] {
        let now = Clock.monotonicMilliseconds()
        return controls.map { control in
            control.heartbeat.silentMilliseconds(now: now) { control.wakeUp.wake() }
        }
    }

    /// Looks whether the process that this one took over from is gone, and from then on has connections spread over all
    /// workers evenly. To be called about once a second; it costs nothing when there was nobody.
    public func lookForNeighbours() {
        let areGone = neighbours.withLock { neighbours in
            guard neighbours.contains(where: \.hasElders) else { return false }
            for index in neighbours.indices { neighbours[index].look() }
            return !neighbours.contains(where: \.hasElders)
        }
        if areGone { controls.first?.standAlone() }
    }

    /// Stops accepting, finishes what is in flight within the drain time, and returns when all workers have ended.
    public func stop() {
        let leads = neighbours.withLock { neighbours in neighbours.indices.map { neighbours[$0].others() } }
        for control in controls { control.drain(leading: leads) }
        threads.join()
        readers?.end()
        challenges?.end()
    }

    /// Opens a socket of its own for every worker and each address. Port 0 is settled by the first. Connections wait until
    /// there is an engine.
    public static func listen(_ settings: EngineSettings) throws(StartError) -> WorkerListeners {
        let (wanted, workerCount) = (settings.listening.plain + settings.listening.secure, settings.workerCount)
        let sockets = WorkerListeners(workerCount: workerCount, addressCount: wanted.count)
        for (index, source) in wanted.enumerated() {
            for worker in 0..<workerCount {
                do {
                    try sockets.open(source, worker: worker, index: index)
                } catch {
                    throw .cannotListen(source.address, error)
                }
            }
        }
        return sockets
    }
}
