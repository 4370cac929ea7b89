// The interface of the data plane. The program starts it with addresses and a catalogue, notifies it of a new catalogue, and
// stops it. The engine does not know where catalogues come from.

public import Catalogue
import HTTP
public import Posix
import TLS
public import Telemetry

/// The workers, by default one for each processor, each with its own listeners.
public final class Engine: Sendable {
    /// The addresses of plain HTTP in use, in the order of the settings.
    public let addresses: [SocketAddress]
    /// The addresses of TLS in use.
    public let secureAddresses: [SocketAddress]
    public let metrics: WorkerMetrics
    private let addressCounts: AddressCounts?
    /// The access log, kept as long as the workers write to it.
    public let accessLog: AccessLog?
    private let controls: [WorkerMailboxes]
    private let threads: [ThreadHandle]
    private let certificateReading: CertificateQueue?
    private let challenges: ChallengeQueue?

    /// Why the engine could not start.
    public struct StartError: Error, CustomStringConvertible {
        let reason: String

        public var description: String { "cannot start a worker: \(reason)" }
    }

    /// Serves. All threads of the engine are started here, so they inherit the restrictions of the sandbox.
    public init(_ settings: EngineSettings, published: PublishedCatalogue) throws(StartError) {
        precondition(settings.workerCount > 0, "there is at least one worker")
        addresses = settings.listeners.filter { !$0.isSecure }.map(\.address)
        secureAddresses = settings.listeners.filter(\.isSecure).map(\.address)
        precondition(secureAddresses.isEmpty || settings.secure != nil, "TLS needs certificates")
        var settings = settings
        settings.limits.connectionsMax = Engine.connectionsMax(settings)
        settings.publicSecurePort = settings.publicSecurePort ?? secureAddresses.first { !$0.isUnix }?.port
        let metrics = settings.metrics ?? WorkerMetrics(workerCount: settings.workerCount)
        precondition(metrics.workerCount == settings.workerCount, "every worker has metrics of its own")
        self.metrics = metrics
        accessLog = settings.accessLog
        var controls: [WorkerMailboxes] = []
        var threads: [ThreadHandle] = []
        let queue = try settings.secure.map { secure throws(StartError) in
            try Engine.starting { try secure.certificates.makeQueue() }
        }
        let challenges = try settings.challenges.map { find throws(StartError) in
            try Engine.starting { try ChallengeQuestion.queue(find) }
        }
        let addressCounts = AddressCounts(limit: settings.limits.connectionsPerAddressMax)
        self.addressCounts = addressCounts
        do throws(StartError) {
            if let queue { try Engine.starting { try queue.start() } }
            if let challenges { try Engine.starting { try challenges.start() } }
            for worker in 0..<settings.workerCount {
                let control = try Engine.starting { try WorkerMailboxes(number: worker) }
                threads.append(
                    try Engine.start(
                        Worker(
                            settings, control: control, published: published, queue: queue,
                            addressCounts: addressCounts, recorder: metrics.recorder(worker),
                            log: settings.accessLog?.sink(worker), challenges: challenges),
                        number: worker))
                controls.append(control)
            }
        } catch {
            for control in controls { control.drain(.stop) }
            for thread in threads { thread.join() }
            queue?.end()
            challenges?.end()
            throw error
        }
        (certificateReading, self.challenges, self.controls, self.threads) = (queue, challenges, controls, threads)
    }

    /// The limit of the settings, but no more than there are descriptors for. Some are reserved: with none left, no certificate
    /// could be read.
    private static func connectionsMax(_ settings: EngineSettings) -> Int {
        min(settings.limits.connectionsMax, max(16, DescriptorLimit.count - descriptorsKept))
    }

    /// Descriptors that are reserved for listeners, files that are being read, and large pages that are kept open.
    public static let descriptorsKept = 256

    /// A step of the start whose failure is one of the engine.
    static func starting<Result: ~Copyable>(_ step: () throws -> Result) throws(StartError) -> Result {
        do { return try step() } catch { throw StartError(reason: "\(error)") }
    }

    private static func start(_ worker: consuming Worker, number: Int) throws(StartError) -> ThreadHandle {
        let heartbeat = worker.control.heartbeat
        do {
            return ThreadHandle(
                try Thread(name: "worker \(number)", owning: worker) {
                    $0.run()
                    heartbeat.end()
                })
        } catch {
            throw StartError(reason: "\(error)")
        }
    }

    /// The network with the most refused connections since the last call, because of its limit, and their number; nil if none
    /// was refused.
    public func takeMostRefused() -> (network: String, count: Int)? { addressCounts?.takeMostRefused() }

    /// Wakes idle workers so that they take the new catalogue and release the old one.
    public func catalogueChanged() {
        for control in controls { control.wakeUp.wake() }
    }

    /// For how long each worker has not answered a heartbeat, in milliseconds; 0 for a healthy one. Sends the next heartbeat, so
    /// it has to be called repeatedly. Thread-safe.
    public func silentMilliseconds() -> [Int64] {
        let now = Clock.monotonicMilliseconds()
        return controls.map { control in
            control.heartbeat.silentMilliseconds(now: now) { control.wakeUp.wake() }
        }
    }

    /// Stops accepting, finishes open requests within the drain time, and returns when all workers have ended.
    /// - Parameter isTakenOver: whether another process accepts from the same sockets, so that these need not.
    public func stop(isTakenOver: Bool = false) {
        for control in controls { control.drain(isTakenOver ? .takenOver : .stop) }
        for thread in threads { thread.join() }
        certificateReading?.end()
        challenges?.end()
    }
}
