// The manager at work: it asks the server which hosts it serves, keeps the store up to date with them, and has workers order and
// renew certificates, and watch what Apple and Google have of the hosts' files. Everything that must survive is in the store and in
// files, so the process may end at any moment.

import ACME
import Administration
import Database
import Glibc
import Manager
import Posix
import TLS

/// The threads and the store of a running manager. Used by one thread.
final class RunningManager {
    let control: ManagerControl
    let answers: ManagerAnswers
    private let inputs: ManagerInputs
    private let rules: IssuanceRules?
    private let register: HostRegister?
    private let suffixes: PublicSuffixes
    private let keys: SealingKeys
    /// Nil until the store has been opened.
    private var account: AccountKey?
    private let server: AdminSettings
    private let node: String
    /// Of the state directory, so that claims of earlier processes there are known to be abandoned.
    private let lock: FileLock
    private var store: Store?
    private var digest = ""
    private var takenAt: Int64 = 0
    private var figuresDue: Int64 = 0
    private var serverProblem: String?
    private var workers: [ThreadHandle] = []
    private var deliveryWorkers: [ThreadHandle] = []
    private var upkeep: ThreadHandle?
    private var listener: AdminListener?

    /// How often it looks at what is due.
    static let tickMilliseconds: Int32 = 5_000

    /// Orders at once: most of their time is waiting for the authority.
    static let workerCount = 4
    private static let askMilliseconds = 5_000
    /// Certificates of the operator appear without a change of the served hosts.
    private static let takeAgainMilliseconds: Int64 = 600_000
    private static let figuresMilliseconds: Int64 = 15_000
    /// Counting many hosts takes a small share of the time.
    private static let figuresFactor: Int64 = 20
    /// The delivery monitor and the sender of messages, after the workers.
    private static let deliveryNumber = workerCount
    private static let webhookNumber = workerCount + 1
    /// Keeps the files of certificates.
    private static let upkeepNumber = workerCount + 2

    /// Opens the store. If that may work later, it is opened by a later `tick`.
    init(_ inputs: ManagerInputs, _ server: AdminSettings) throws {
        (self.inputs, self.server) = (inputs, server)
        rules = inputs.rules
        keys = try inputs.keys(createsMissing: true)
        node = "\(HostMachine.name):\(Directory.absolute(inputs.statePath))"
        guard let lock = try FileLock.take(inputs.lockPath) else {
            throw Refusal.failure("another manager works in \(inputs.statePath); stop it, or use another --state")
        }
        self.lock = lock
        suffixes = PublicSuffixes()
        control = try ManagerControl(workerCount: RunningManager.workerCount + 3) { level, text in
            switch level {
            case .info: Log.info(text)
            case .warning: Log.warning(text)
            case .error: Log.error(text)
            }
        }
        answers = ManagerAnswers(control)
        register =
            rules == nil
            ? nil : HostRegister(control, places: inputs.places, covers: inputs.covers)
        // The file may be unusable, which must be known at the start.
        if let rules { _ = try ClientContext(authorityFile: rules.authorityFile) }
        do { try openStore() } catch let error as DatabaseError {
            if error.isLasting { throw error }
            control.noteStore(error)
        }
    }

    /// Opens the store unless it is open, and writes the thumbprint for the server.
    private func openStore() throws {
        if store != nil { return }
        let prefix = "\(node)/"
        var opened = try Store(inputs.location, keys: keys)
        try opened.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try Work.freeClaims(ofHolders: prefix, in: transaction)
        }
        let account = try AccountSecret.load(&opened)
        if rules != nil { try AccountSecret.publish(account, at: inputs.places.thumbprint) }
        self.account = account
        store = .some(consume opened)
    }

    /// Starts to answer operators. Called when no more libraries are loaded.
    func begin(admin socket: ListeningSocket?) throws {
        guard let socket else { return }
        listener = try AdminListener(AdminSettings(address: socket.address), answers, on: socket)
    }

    /// Does what is due.
    func tick() {
        let now = Clock.monotonicMilliseconds()
        do {
            // Also without a store, because the server reports a manager that is silent.
            let hosts = askServer(now)
            try openStore()
            if let hosts {
                try register?.take(hosts, &store!)
                // A host is looked at only if its certificate is not waited for, so this work has to be there first.
                control.noteServed(digest)
            }
            try startWorkers()
            if let delivery = inputs.delivery { try startDelivery(delivery) }
            if now >= figuresDue {
                try updateFigures()
                let spent = Clock.monotonicMilliseconds() - now
                figuresDue = now + max(RunningManager.figuresMilliseconds, spent * RunningManager.figuresFactor)
            }
            if control.storeProblem != nil {
                // What was done until here may only have read.
                try store!.tryWriting()
                control.noteWriting()
            }
            control.noteStore(nil)
        } catch let error as DatabaseError {
            // The hosts may not be stored yet, so the server is asked for all of them again.
            digest = ""
            control.noteStore(error)
        } catch {
            control.fail("\(error)")
        }
    }

    /// Lets the workers finish their present step.
    func stop() {
        control.stop()
        for worker in workers + deliveryWorkers { worker.join() }
        upkeep?.join()
        listener?.stop()
        // The last connection that is closed writes the log of SQLite into the file.
        store = nil
    }

    /// The served hosts, if they are to be looked at now.
    private func askServer(_ now: Int64) -> [String]? {
        let isDue = now - takenAt >= RunningManager.takeAgainMilliseconds
        do throws(AdminClient.Failure) {
            let response = try AdminClient.get(
                ServedHosts.path(unless: isDue ? "" : digest, problem: storeProblem), from: server.address,
                token: server.token, timeoutMilliseconds: RunningManager.askMilliseconds)
            noteServer(response.status == 200 || response.status == 204 ? nil : "it answers \(response.status)")
            guard response.status == 200, let served = ServedHosts(json: response.body) else { return nil }
            (digest, takenAt) = (served.digest, now)
            control.noteTenants(served.folders, suffixes)
            return served.hosts
        } catch {
            noteServer(error.description)
            return nil
        }
    }

    /// What the server reports as the manager's problem.
    private var storeProblem: String? {
        control.storeProblem.map { "\($0) (for \(Age.text(seconds: control.storeOutageSeconds)))" }
    }

    private func noteServer(_ problem: String?) {
        defer { serverProblem = problem }
        if let problem, serverProblem == nil {
            control.log(
                .warning, "cannot ask the server which hosts it serves: \(problem); continuing with the known ones")
        }
        if problem == nil, serverProblem != nil { control.log(.info, "the server answers again") }
    }

    /// Starts the workers that are missing: all at first, and the rest after a failure.
    private func startWorkers() throws {
        guard let rules, let account else { return }
        for number in workers.count..<RunningManager.workerCount {
            let worker = try CertificateWorker(
                number, rules, control, places: inputs.places, holder: "\(node)/\(getpid())", account: account,
                suffixes: suffixes, userAgent: Product.userAgent, store: try Store(inputs.location, keys: keys))
            workers.append(ThreadHandle(try Thread(name: "orders \(number)", owning: worker) { $0.run() }))
        }
        if upkeep != nil { return }
        let keeper = CertificateUpkeep(
            RunningManager.upkeepNumber, control, places: inputs.places, store: try Store(inputs.location, keys: keys))
        upkeep = ThreadHandle(try Thread(name: "certificates", owning: keeper) { $0.run() })
    }

    /// Starts the monitor and the sender of messages: both at first, and the one that is missing after a failure.
    private func startDelivery(_ delivery: DeliveryRules) throws {
        let holder = "\(node)/\(getpid())"
        if deliveryWorkers.isEmpty {
            let monitor = try DeliveryWorker(
                RunningManager.deliveryNumber, delivery, control, node: node, holder: holder,
                source: DeliveryLink(server: server), store: try Store(inputs.location, keys: keys))
            deliveryWorkers.append(ThreadHandle(try Thread(name: "deliveries", owning: monitor) { $0.run() }))
        }
        if deliveryWorkers.count == 1 {
            let sender = try WebhookWorker(
                RunningManager.webhookNumber, delivery, control, holder: holder,
                store: try Store(inputs.location, keys: keys))
            deliveryWorkers.append(ThreadHandle(try Thread(name: "webhooks", owning: sender) { $0.run() }))
        }
    }

    private func updateFigures() throws(DatabaseError) {
        let issuance = try store!.read { transaction throws(DatabaseError) in
            try IssuanceFigures(rules, in: transaction)
        }
        var figures = ManagerFigures(issuance: issuance, serverProblem: serverProblem)
        if inputs.delivery != nil {
            let unreachable = Set(control.deliveryProblems.keys)
            let deliveries = try store!.read { transaction throws(DatabaseError) in
                try DeliveryFigures(unreachable: unreachable, in: transaction)
            }
            figures.deliveries = DeliveryMetrics(deliveries, unreachable: unreachable)
        }
        answers.take(figures)
    }
}
