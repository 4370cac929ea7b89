// What the manager's threads share: which hosts are wanted, the end of the process, what is worth a line in the log, and counts.

public import Database
public import Posix
import Store
import Synchronization

/// Shared by the manager's threads.
public final class ManagerControl: Sendable {
    public enum Level: Sendable {
        case info, warning, error
    }

    private struct State {
        /// Nil until the server has been asked once: then all hosts with work are.
        var served: ServedNames?
        var isStopping = false
        var outage = StoreOutage()
        /// The database of the outage, for messages.
        var storeLocation: String?
        /// Why nothing can be written for the server, and since when.
        var files: (problem: String, since: Int64)?
        /// Why the process has to end.
        var failure: String?
        var outcomes: [IssuanceState: Int] = [:]
        var said: Set<String> = []
        /// The lines about single hosts in the present minute, and its end.
        var hostProblems = (count: 0, end: Int64(0))
        /// Certificates that the store lacked, since the last line about them.
        var recoveredCount = 0
        /// Of everything that the server serves; nil until it has been asked.
        var servedDigest: String?
        /// The services that have not answered the last request.
        var deliveryFailures: Set<DeliveryVerifier> = []
        /// The services whose outage is in the log.
        var reportedServices: Set<DeliveryVerifier> = []
        /// The looks at hosts in a row for which no name server has answered.
        var silentLooks = 0
        /// Why the server does not answer, by what it was asked for.
        var sourceProblems: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let suffixes: PublicSuffixes
    private let bells: [Bell]
    private let write: @Sendable (Level, String) -> Void
    let silences = AuthoritySilences()

    /// Wakes one worker.
    private final class Bell: Sendable {
        let wakeUp: WakeUp

        init(_ wakeUp: consuming WakeUp) { self.wakeUp = wakeUp }
    }

    /// - Parameter workerCount: the threads that rest between pieces of work.
    public init(
        workerCount: Int, suffixes: PublicSuffixes = PublicSuffixes(text: ""),
        log: @escaping @Sendable (Level, String) -> Void
    ) throws(SystemError) {
        var bells: [Bell] = []
        for _ in 0..<workerCount { bells.append(Bell(try WakeUp())) }
        (self.suffixes, self.bells) = (suffixes, bells)
        write = log
    }

    public func log(_ level: Level, _ text: String) { write(level, text) }

    /// Logs what each worker notices, but only one has to say.
    public func logOnce(_ level: Level, _ text: String) {
        if state.withLock({ $0.said.insert(text).inserted }) { log(level, text) }
    }

    /// How many lines about single hosts are logged in a minute. A fleet whose DNS records are missing has thousands of problems, and
    /// an authority may want all certificates renewed.
    static let hostLinesMax = 10

    /// Logs what concerns one host, unless there is much.
    func logHost(_ text: String, _ level: Level = .warning) {
        let count = state.withLock { state in
            state.hostProblems.count += 1
            return state.hostProblems.count
        }
        if count <= ManagerControl.hostLinesMax { log(level, text) }
    }

    /// Logs once a minute how many lines about hosts were not logged.
    public func summarizeHosts(now: Int64 = Clock.monotonicMilliseconds()) {
        let count = state.withLock { state in
            guard now >= state.hostProblems.end else { return 0 }
            defer { state.hostProblems = (0, now + 60_000) }
            return state.hostProblems.count - ManagerControl.hostLinesMax
        }
        if count > 0 { log(.warning, "\(count) more lines about single hosts; see `associated acme status`") }
    }

    /// Notes that the certificate of a host in service was newer than that of the store.
    func noteRecovered() { state.withLock { $0.recoveredCount += 1 } }

    /// Says in one line that the store is older than certificates in service.
    func reportRecovered() {
        let count = state.withLock { state in
            defer { state.recoveredCount = 0 }
            return state.recoveredCount
        }
        if count == 0 { return }
        log(
            .warning,
            "the store is older than the certificates in service of \(count) \(count == 1 ? "host" : "hosts") and has taken them over; "
                + "if it was restored from a backup, repeat each `associated acme account` since then, and each `acme revoke` on other nodes"
        )
    }

    public var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Lets the threads end after their present step.
    public func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Lets resting threads look for work.
    public func wake() { for bell in bells { bell.wakeUp.wake() } }

    private static let storeRestMilliseconds: Int64 = 10_000

    /// Has a worker do one step after the other until the process ends.
    /// - Parameter step: returns how long to rest afterwards, in milliseconds.
    func work(_ worker: Int, _ step: () throws(DatabaseError) -> Int64) {
        while !isStopping {
            var pause = ManagerControl.storeRestMilliseconds
            do throws(DatabaseError) {
                pause = try step()
                noteStore(nil)
            } catch {
                noteStore(error)
            }
            if pause > 0 { rest(worker, milliseconds: pause) }
        }
    }

    /// Waits until there may be work, or for the end.
    func rest(_ worker: Int, milliseconds: Int64) {
        if isStopping { return }
        _ = bells[worker].wakeUp.wait(milliseconds: Int32(clamping: milliseconds))
        bells[worker].wakeUp.clear()
    }

    func isWanted(_ host: String) -> Bool { state.withLock { $0.served?.isWanted(host) ?? true } }

    /// Notes which hosts are served, and whose they are.
    public func noteHosts(_ hosts: ServedNames) { state.withLock { $0.served = hosts } }

    /// Whose work on a host is: that of the folder of its app file. Without folders, it is that of the registered domain.
    func tenant(of host: String) -> String {
        let folder = state.withLock { $0.served?.folder(of: host) }
        return folder.map { "\($0)/" } ?? suffixes.registeredDomain(of: host)
    }

    /// Notes whether the store could be used, and says so when that changes. What lasts ends the process.
    public func noteStore(_ error: DatabaseError?) {
        let now = Clock.monotonicMilliseconds()
        guard let error else {
            let ended = state.withLock { state in
                state.outage.endsWithSuccess(now: now).map { (state.storeLocation ?? "the store", $0 / 1_000) }
            }
            if let (location, seconds) = ended {
                let time = seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
                log(.info, "\(location) can be used again; it could not for \(time), until about a minute ago")
            }
            return
        }
        if error.isLasting { return fail(error.description) }
        let isNews = state.withLock { state in
            state.storeLocation = error.location
            return state.outage.isNews(error.description, now: now)
        }
        if isNews { log(.error, error.description) }
    }

    /// Notes that a change was written to the store, so that it has no problem now.
    public func noteWriting() { state.withLock { $0.outage.noteWriting() } }

    /// Why the store cannot be used; nil if it can.
    public var storeProblem: String? { state.withLock { $0.outage.problem } }

    /// Notes why what each order needs cannot be written for the server.
    func noteFiles(_ problem: String?) {
        let now = Clock.monotonicMilliseconds()
        state.withLock { state in state.files = problem.map { ($0, state.files?.since ?? now) } }
    }

    /// Why no certificate can be ordered now; nil if that is possible.
    public var problem: String? { storeProblem ?? state.withLock { $0.files?.problem } }

    /// How long there has been a problem.
    public var problemSeconds: Int64 {
        let now = Clock.monotonicMilliseconds()
        return state.withLock { (now - ($0.outage.beganAt ?? $0.files?.since ?? now)) / 1_000 }
    }

    /// Ends the process, which is started again.
    public func fail(_ reason: String) {
        state.withLock { $0.failure = $0.failure ?? reason }
        stop()
    }

    /// Why the process has to end; nil while it can continue.
    public var failure: String? { state.withLock { $0.failure } }

    /// Counts how orders ended since the start.
    func count(_ outcome: IssuanceState) { state.withLock { $0.outcomes[outcome, default: 0] += 1 } }

    public var outcomes: [IssuanceState: Int] { state.withLock { $0.outcomes } }

    /// Lets the delivery monitor know whether something else is served.
    public func noteServed(_ digest: String) { state.withLock { $0.servedDigest = digest } }

    var servedDigest: String? { state.withLock { $0.servedDigest } }

    /// Notes whether the server answers what it was asked for, and says so when that changes. What is known stays until then.
    public func noteSource(_ question: String, _ problem: String?) {
        let before = state.withLock { state in
            defer { state.sourceProblems[question] = problem }
            return state.sourceProblems[question]
        }
        guard problem != before else { return }
        if let problem {
            log(.warning, "cannot ask the server for \(question): \(problem); trying again")
        } else {
            log(.info, "the server answers again when it is asked for \(question)")
        }
    }

    /// Why the server does not answer.
    public var sourceProblems: [String] {
        state.withLock { state in
            state.sourceProblems.sorted { $0.key < $1.key }.map { "cannot ask the server for \($0.key): \($0.value)" }
        }
    }

    /// The name servers of one domain may be silent; those of this machine are if several hosts in a row get no answer.
    static let silentLooksMax = 3

    /// Notes whether a name server has answered about a host, and says so when none does for several.
    func noteNameServers(areSilent: Bool) {
        let (before, now) = state.withLock { state in
            defer { state.silentLooks = areSilent ? state.silentLooks + 1 : 0 }
            return (state.silentLooks, areSilent ? state.silentLooks + 1 : 0)
        }
        if now == ManagerControl.silentLooksMax {
            log(
                .error,
                "no name server of this machine answers, so no certificate can be ordered; check the network and /etc/resolv.conf; "
                    + "trying again")
        } else if now == 0, before >= ManagerControl.silentLooksMax {
            log(.info, "the name servers of this machine answer again")
        }
    }

    func noteDeliveryAnswer(_ verifier: DeliveryVerifier) {
        state.withLock { state in
            state.deliveryFailures.remove(verifier)
            state.reportedServices.remove(verifier)
        }
    }

    /// Notes a request to a service without an answer. An outage gets one line for all services that fail at the same time, as
    /// behind a firewall.
    func noteDeliveryFailure(_ verifier: DeliveryVerifier, _ reason: String, isOutage: Bool) {
        let services = state.withLock { state -> [DeliveryVerifier] in
            state.deliveryFailures.insert(verifier)
            guard isOutage, !state.reportedServices.contains(verifier) else { return [] }
            let failing = state.deliveryFailures.subtracting(state.reportedServices)
            state.reportedServices.formUnion(failing)
            return DeliveryVerifier.allCases.filter { failing.contains($0) }
        }
        if services.isEmpty { return }
        let names = services.map(\.name).joined(separator: " and ")
        let next = DeliveryOutage.nextStep(reason)
        log(.warning, "cannot ask \(names) for copies: \(reason); what is known of the hosts stays; \(next)")
    }
}
