// The data plane as the rest of the program sees it: started with addresses and a catalogue, told when the catalogue has
// changed, told to stop. It knows nothing of where catalogues come from.

public import Catalogue
public import HTTP
public import Posix

/// Workers, one per processor unless told otherwise, each with its own listeners.
public final class Engine: Sendable {
    /// The addresses in use, in the order in which they were asked for.
    public let addresses: [SocketAddress]
    private let controls: [WorkerControl]
    private let threads: Threads

    /// Why the engine could not start.
    public enum StartError: Error, CustomStringConvertible {
        case cannotListen(SocketAddress, SystemError)
        case cannotStart(SystemError)

        public var description: String {
            switch self {
            case .cannotListen(let address, let error):
                "cannot listen on \(address): \(error.reason)\(Engine.advice(error))"
            case .cannotStart(let error): "cannot start a worker: \(error)"
            }
        }
    }

    /// Listens and serves.
    public init(
        addresses wanted: [SocketAddress], workerCount: Int, limits: Limits, published: PublishedCatalogue
    ) throws(StartError) {
        precondition(workerCount > 0, "somebody has to work")
        let sockets = try Engine.listen(wanted, workerCount: workerCount)
        addresses = sockets.addresses
        var controls: [WorkerControl] = []
        let threads = Threads(capacity: workerCount)
        let addressCounts = AddressCounts(limit: limits.connectionsPerAddressMax)
        do {
            for worker in 0..<workerCount {
                let control = try WorkerControl()
                let box = WorkerBox(
                    try Worker(
                        limits: limits, connectionsMax: max(16, limits.connectionsMax / workerCount), control: control,
                        published: published, addressCounts: addressCounts, listeners: sockets.take(worker)))
                threads.append(try Thread(name: "worker \(worker)") { box.run() })
                controls.append(control)
            }
        } catch {
            for control in controls { control.drain() }
            threads.join()
            throw .cannotStart(error)
        }
        self.controls = controls
        self.threads = threads
    }

    /// Makes idle workers notice a newly published catalogue, so that the one before it can go.
    public func catalogueChanged() {
        for control in controls { control.wakeUp.wake() }
    }

    /// Stops accepting, finishes what is in flight within the drain time, and returns when all workers have ended.
    public func stop() {
        for control in controls { control.drain() }
        threads.join()
    }

    /// Every worker gets a socket of its own for each address. Port 0 is settled by the first.
    private static func listen(_ wanted: [SocketAddress], workerCount: Int) throws(StartError) -> WorkerListeners {
        let sockets = WorkerListeners(workerCount: workerCount, addressCount: wanted.count)
        for (index, address) in wanted.enumerated() {
            for worker in 0..<workerCount {
                do {
                    try sockets.open(address, worker: worker, index: index)
                } catch {
                    throw .cannotListen(address, error)
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
