// The manager at work: it asks the server which hosts it serves, keeps the store up to date with them, and has workers order and
// renew certificates, and watch what Apple and Google have of the hosts' files. Everything that must survive is in the store and in
// files, so the process may end at any moment.

import ACME
import Administration
import Console
import DNS
import Database
import Delivery
import Glibc
import Issuance
import Posix
import Publishing
import Service
import Settings
import Store
import Supervision
import TLS

/// The threads and the store of a running manager. Used by one thread.
final class RunningManager {
    let control: WorkControl
    private let issuance: IssuanceStatus
    private let delivery: DeliveryStatus
    let answers: ManagerAnswers
    private let inputs: ManagerInputs
    private let rules: IssuanceRules?
    private var register: HostRegister?
    private let suffixes = PublicSuffixes()
    private let keys: SealingKeys
    /// Nil until the store has been opened.
    private var account: AccountSecret?
    private let node: String
    /// Of the state directory, so that claims of earlier processes there are known to be abandoned.
    private let lock: FileLock
    /// With one connection for the threads that make orders, whose short transactions wait for no count of a million rows, and one for
    /// everything else.
    private var store: Store?
    private var orderStore: Store?
    private var digest = ""
    private var takenAt: Int64 = 0
    private var figuresDue: Int64 = 0
    /// Hosts that wait for their first certificate; nil until the first figures.
    private var awaitedCount: Int?
    /// By their numbers in the control.
    private(set) var threads: [ThreadHandle] = []
    private var listeners: [Service] = []
    /// Nil without the setting `api`, or until the store has been opened.
    private var publisher: Publisher?
    private var console: WebConsole?
    private var apiSocket: ListeningSocket?

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
    /// The upkeep of certificates; the register of the delivery monitor, one worker for each service, and the sender of messages.
    private static let otherThreads = 1 + DeliveryVerifier.allCases.count + 2
    /// Of the thread that publishes, which the API wakes.
    private static let publishingNumber = workerCount + otherThreads

    /// Opens the store. If that may work later, it is opened by a later `tick`.
    init(_ inputs: ManagerInputs) throws {
        self.inputs = inputs
        rules = inputs.rules
        lock = try inputs.lockState()
        keys = try inputs.keys(createsMissing: true)
        node = "\(HostMachine.name):\(Directory.absolute(inputs.statePath))"
        control = try WorkControl(
            workerCount: RunningManager.publishingNumber + 1
        ) { level, text in
            switch level {
            case .info: Log.info(text)
            case .warning: Log.warning(text)
            case .error: Log.error(text)
            }
        }
        let issuance = IssuanceStatus(control, suffixes: suffixes)
        delivery = DeliveryStatus(
            control, tenant: { issuance.tenant(of: $0) },
            certificateWait: { host, tries, transaction throws(DatabaseError) in
                try CertificateWork.wait(for: host, tries: tries, in: transaction)
            })
        self.issuance = issuance
        answers = ManagerAnswers(issuance, control)
        register =
            rules == nil
            ? nil : HostRegister(issuance, places: inputs.places) { inputs.covers($0) }
        // The file may be unusable, which must be known at the start.
        if let rules { _ = try ClientContext(authorityFile: rules.authorityFile) }
        do { try openStore() } catch let error as DatabaseError {
            if error.isLasting { throw error }
            control.noteStore(error)
        }
    }

    /// Opens the store unless it is open.
    private func openStore() throws {
        if store != nil { return }
        let (prefix, rules) = ("\(node)/", rules)
        var opened = try Store(inputs.location, keys: keys)
        let second = try Store(inputs.location, keys: keys)
        try opened.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try Work.freeClaims(ofHolders: prefix, in: transaction)
            try rules?.applyChangedSettings(in: transaction)
        }
        let account = try AccountSecret.load(&opened)
        // Before the first order. The upkeep of certificates reports what prevents it, and tries again.
        if rules != nil {
            if let surprise = account.surprise(at: inputs.places.thumbprint) { control.log(.warning, surprise) }
            try? account.publish(at: inputs.places.thumbprint)
        }
        self.account = account
        store = .some(consume opened)
        orderStore = .some(consume second)
        if inputs.hasAPI {
            let control = control
            let resolver = rules?.resolver ?? Resolver()
            let appleCopy: Publisher.AppleCopy = { host, time, transaction throws(DatabaseError) in
                try DeliveryTimeline.apple(of: host, since: time, in: transaction)
            }
            publisher = Publisher(
                store!.another(), environment: inputs.environment, webhooks: WebhookQueue(inputs.webhooks),
                textRecords: { resolver.lookUp(.txt, of: $0) }, appleCopy: inputs.delivery == nil ? nil : appleCopy
            ) { control.wake(RunningManager.publishingNumber) }
            console = WebConsole(
                publisher!, issuance, control, store: store!.another(),
                server: ConsoleLink(
                    server: inputs.link, configPath: inputs.configPath, statePath: inputs.statePath), rules: rules,
                suffixes: suffixes, isOpen: inputs.isDevelopment)
        }
    }

    /// Starts to answer operators. Called when no more libraries are loaded.
    func begin(admin: ListeningSocket?, api: ListeningSocket?) throws {
        apiSocket = api
        guard let admin else { return }
        if let objection = ManagerSettings.objection(toAdmin: admin.address) { throw Refusal.failure(objection) }
        listeners.append(try Service(admin: AdminSettings(address: admin.address), answers, on: admin))
    }

    /// Starts to answer publishers, once the store can be used.
    private func beginPublishing() throws {
        guard let publisher, let console, let socket = apiSocket else { return }
        let routes = console.routes + PublishingAPI.routes(publisher)
        let router = Router(routes, payer: { console.identity($0) }, unknown: { console.unknown($0) }) {
            PublishingAPI.identify($0, publisher)
        }
        listeners.append(try Service("api", router, on: socket, limits: PublishingAPI.limits))
        apiSocket = nil
        Log.info("manager: console on \(socket.address.isUnix ? "" : "http://")\(socket.address), and the API")
    }

    /// Does what is due.
    func tick() {
        let now = Clock.monotonicMilliseconds()
        do {
            // Also without a store, because the server reports a manager that is silent.
            let hosts = askServer(now)
            try openStore()
            if let hosts {
                if try register?.synchronize(with: hosts, in: &store!) == nil { issuance.noteHosts(hosts) }
                // The answer needed more memory than the names.
                Memory.returnFreed()
                // A host is looked at only if its certificate is not waited for, so this work has to be there first.
                delivery.noteServed(digest)
            }
            try startThreads()
            try beginPublishing()
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
            let omitted = control.takeOmittedHosts()
            if omitted > 0 {
                control.log(.warning, "\(omitted) more lines about single hosts; see `associated acme status`")
            }
        } catch let error as DatabaseError {
            // The hosts may not be stored yet, so the server is asked for all of them again.
            digest = ""
            control.noteStore(error)
        } catch {
            control.fail("\(error)")
        }
    }

    /// To be called when all threads have ended.
    func close() {
        for listener in listeners { listener.stop() }
        (publisher, console) = (nil, nil)
        // The last connection that is closed writes the log of SQLite into the file.
        store = nil
        orderStore = nil
    }

    /// The served hosts, if they are to be looked at now.
    private func askServer(_ now: Int64) -> ServedNames? {
        let isDue = now - takenAt >= RunningManager.takeAgainMilliseconds
        var problem: String?
        defer { control.noteSource("the hosts that it serves", problem) }
        do throws(AdminClient.Failure) {
            _ = try AdminClient.put(
                ManagerReport(awaitedCount: awaitedCount, problem: problemForServer, sentence: console?.sentence),
                to: inputs.link,
                timeoutMilliseconds: RunningManager.askMilliseconds)
            let response = try AdminClient.get(
                ServedHosts.path(unless: isDue ? "" : digest), from: inputs.link, token: nil,
                timeoutMilliseconds: RunningManager.askMilliseconds)
            if response.status == 204 { return nil }
            guard response.status == 200 else {
                problem = "it answers \(response.status)"
                return nil
            }
            guard let served = ServedHosts(json: response.body) else {
                problem = "its list of hosts cannot be read; is it of another version?"
                return nil
            }
            if served.omittedCount > 0 {
                control.logOnce(
                    .error,
                    "the server serves more hosts than a manager can take (\(ServedHosts.hostsMax), with "
                        + "\(ServedHosts.bytesMax >> 20) MiB for their names): the tenants with the most get no certificates for "
                        + "some of theirs; remove hosts, or divide them among several servers")
            }
            (digest, takenAt) = (served.digest, now)
            publisher?.note(served: served.names.split(separator: "/").map(String.init))
            return ServedNames(served.names, folders: served.folders)
        } catch {
            problem = error.description
            return nil
        }
    }

    /// What the server reports as the manager's problem.
    private var problemForServer: String? {
        publisher?.problem ?? issuance.problem.map { "\($0) (for \(Age.text(seconds: issuance.problemSeconds)))" }
            ?? inputs.objection
    }

    /// Starts the threads that are missing: all at first, and the rest after a failure.
    private func startThreads() throws {
        let holder = "\(node)/\(getpid())"
        let (places, control, issuance) = (inputs.places, control, issuance)
        var starts: [(Int) throws -> Thread] = []
        if let rules, let account {
            starts = Array(
                repeating: { number in
                    let worker = try CertificateWorker(
                        number, rules, issuance, places: places, holder: holder, account: account,
                        suffixes: self.suffixes, userAgent: Product.userAgent,
                        store: self.orderStore!.another())
                    return try Thread(name: "orders \(number)", owning: worker) { $0.run() }
                }, count: RunningManager.workerCount)
            starts.append { number in
                let keeper = CertificateUpkeep(
                    number, issuance, places: places, store: self.store!.another())
                return try Thread(name: "certificates", owning: keeper) { $0.run() }
            }
        }
        if let delivery = inputs.delivery {
            let source = DeliveryLink(server: inputs.link, statePath: inputs.statePath)
            starts.append { number in
                let register = DeliveryRegister(
                    number, self.delivery, node: self.node, source: source, store: self.store!.another())
                return try Thread(name: "deliveries", owning: register) { $0.run() }
            }
            for service in DeliveryVerifier.allCases {
                starts.append { number in
                    let monitor = try DeliveryWorker(
                        number, service, delivery, self.delivery, holder: holder, source: source,
                        outside: delivery.proxy == nil ? OutsideCheck() : nil, store: self.store!.another())
                    return try Thread(name: service.rawValue, owning: monitor) { $0.run() }
                }
            }
        }
        if inputs.delivery != nil || inputs.hasAPI {
            starts.append { number in
                let sender = try WebhookWorker(
                    number, self.inputs.webhooks, userAgent: Product.userAgent, proxy: self.inputs.proxy, control,
                    holder: holder, store: self.store!.another())
                return try Thread(name: "webhooks", owning: sender) { $0.run() }
            }
        }
        if let publisher {
            starts.append { _ in
                let worker = PublishingWorker(
                    RunningManager.publishingNumber, publisher, self.control,
                    folder: try PublishedFolder(self.inputs.statePath), node: self.node,
                    source: PublishedLink(server: self.inputs.link))
                return try Thread(name: "publishing", owning: worker) { $0.run() }
            }
        }
        while threads.count < starts.count { threads.append(ThreadHandle(try starts[threads.count](threads.count))) }
    }

    private func updateFigures() throws(DatabaseError) {
        let issuance = try store!.read { transaction throws(DatabaseError) in
            try IssuanceFigures(rules, in: transaction)
        }
        awaitedCount = issuance.awaitedCount
        var (figures, shown) = (ManagerFigures(issuance: issuance), ConsoleFigures())
        (shown.issuance, shown.webhookProblems) = (issuance, inputs.webhookProblems)
        if inputs.delivery != nil {
            try store!.read { transaction throws(DatabaseError) in
                let counts = try DeliveryFigures(in: transaction)
                shown.deliveries = counts
                shown.outages = try DeliveryOutage.all(in: transaction)
                shown.worst = try DeliveryList(
                    ConsoleFigures.worstStates, countMax: IssuanceFigures.stuckMax, in: transaction)
                figures.deliveries = DeliveryMetrics(counts, shown.outages)
            }
        }
        answers.take(figures)
        console?.take(shown)
    }
}
