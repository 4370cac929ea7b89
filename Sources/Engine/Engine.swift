// The data plane as the rest of the program sees it: started with addresses and a catalogue, told when the catalogue has
// changed, told to stop. It knows nothing of where catalogues come from.

public import Catalogue
import HTTP
public import Posix
import Synchronization
import TLS

/// Workers, one per processor unless told otherwise, each with its own listeners.
public final class Engine: Sendable {
    /// The addresses in use where plain HTTP is spoken, in the order in which they were asked for.
    public let addresses: [SocketAddress]
    /// Those where TLS is spoken.
    public let secureAddresses: [SocketAddress]
    private let controls: [WorkerControl]
    private let threads: Threads
    private let neighbours: Mutex<[Neighbours]>
    private let readers: CertificateReaders?

    /// Why the engine could not start.
    public enum StartError: Error, CustomStringConvertible {
        case cannotListen(SocketAddress, SystemError)
        case cannotStart(String)

        public var description: String {
            switch self {
            case .cannotListen(let address, let error):
                "cannot listen on \(address): \(error.reason)\(Engine.advice(error))"
            case .cannotStart(let reason): "cannot start a worker: \(reason)"
            }
        }
    }

    /// Listens and serves.
    public init(_ settings: EngineSettings, published: PublishedCatalogue) throws(StartError) {
        precondition(settings.workerCount > 0, "somebody has to work")
        let (plain, secure) = settings.listening
        precondition(secure.isEmpty || settings.secure != nil, "TLS needs certificates")
        let sockets = try Engine.listen(plain + secure, workerCount: settings.workerCount)
        addresses = Array(sockets.addresses.prefix(plain.count))
        secureAddresses = Array(sockets.addresses.dropFirst(plain.count))
        var settings = settings
        settings.limits.connectionsMax = Engine.connectionsMax(settings)
        // Known only now, because port 0 has been settled.
        settings.publicSecurePort = settings.publicSecurePort ?? secureAddresses.first { !$0.isUnix }?.port
        neighbours = Mutex(sockets.neighbours)
        var controls: [WorkerControl] = []
        let threads = Threads(capacity: settings.workerCount)
        var readers: CertificateReaders?
        if let secure = settings.secure { readers = try CertificateReaders(secure.certificates) }
        let addressCounts = AddressCounts(limit: settings.limits.connectionsPerAddressMax)
        do throws(StartError) {
            for worker in 0..<settings.workerCount {
                let control = try Engine.makeControl(worker)
                let box = WorkerBox(
                    try Worker(
                        settings, control: control, published: published, queue: readers?.queue,
                        addressCounts: addressCounts,
                        listeners: sockets.take(worker)))
                threads.append(try Engine.start(box, number: worker))
                controls.append(control)
            }
        } catch {
            for control in controls { control.drain() }
            threads.join()
            readers?.end()
            throw error
        }
        self.readers = readers
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

    private static func start(_ box: WorkerBox, number: Int) throws(StartError) -> Thread {
        do { return try Thread(name: "worker \(number)") { box.run() } } catch { throw .cannotStart("\(error)") }
    }

    /// Makes idle workers notice a newly published catalogue, so that the one before it can go.
    public func catalogueChanged() {
        for control in controls { control.wakeUp.wake() }
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
    }

    /// Every worker gets a socket of its own for each address. Port 0 is settled by the first.
    private static func listen(_ wanted: [ListenerSource], workerCount: Int) throws(StartError) -> WorkerListeners {
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

    private static func advice(_ error: SystemError) -> String {
        switch error.cause {
        case .permission: "; run as root, grant CAP_NET_BIND_SERVICE or use a port above 1023"
        case .inUse: "; stop what listens there or choose another port (ss -ltnp shows which process it is)"
        case .noSuchAddress: "; this machine has no such address"
        case .other: ""
        }
    }
}
