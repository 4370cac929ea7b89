// `serve --check`: tries everything that a start depends on, in the same order, without serving. It continues after a failure, so
// that one run reports everything. The process drops the same privileges as a server, because only then missing permissions show;
// it never listens, so it does not disturb a running server.

import Administration
import Association
import HTTP
import Hosting
import Issuance
import Libc
import Management
import Posix
import Serving
import Settings
import Supervision
import TLS
import Telemetry

struct StartCheck {
    private let arguments: ParsedArguments
    private var given: LoadedSettings
    /// Whether there is a state directory; if not, a start would create it.
    private let hasState: Bool
    private var failureCount = 0
    /// Errors in app files and certificates, with which a server may start.
    private var fileErrorCount = 0
    /// Hints about things that work.
    private var notes: [String] = []

    init(_ given: LoadedSettings, _ arguments: ParsedArguments) {
        self.given = given
        self.arguments = arguments
        hasState = File.exists(given.statePath)
    }

    private var settings: ServerSettings { given.settings }

    mutating func run() -> ExitStatus {
        var sandbox: Sandbox?
        var opensSockets = true
        attempt { check in
            try Folder.requireKernel()
            try ProcessMemory.forbidDumps()
            let sockets = try ListeningSet()
            if sockets.isActivated {
                opensSockets = false
                check.given.settings.http = sockets.addresses(.http)
                check.given.settings.https = sockets.addresses(.https)
            }
        }
        if !hasState { tryState(Directory.checkCreatable) }
        if FileLock.isHeld(StateLock.path(in: given.statePath)) {
            let number = ListeningSet.inWords(StateLock.holder(in: given.statePath))
            notes.append("a running server\(number) works in \(given.statePath); send it SIGUSR2 to replace it")
        }
        if opensSockets {
            for address in settings.http { tryAddress(address, .http) }
            for address in settings.https { tryAddress(address, .https) }
        }
        if let address = settings.admin?.address { tryAddress(address, .admin) }
        if let address = settings.manager.admin { tryAddress(address, .managerAdmin) }
        if let address = settings.manager.api { tryAddress(address, .api) }
        attempt { check in try check.readSecrets() }
        attempt { check in try check.readManagerSecrets() }
        attempt { check in
            var places = SandboxPlaces(check.given)
            places.createsState = false
            var steps = Sandbox(check.given, places: places)
            try steps.changeUser()
            try ProcessMemory.forbidDumps()
            try steps.restrictFiles()
            sandbox = steps
        }
        if hasState { tryState(File.checkWritable) }
        if case .file(let path) = settings.accessLog.place,
            !Directory.exists(ResolvedPath.parent(of: Directory.absolute(path)))
        {
            fail("cannot write the access log \(path): its directory does not exist; create it for the server's user")
        }
        let served = lint()
        // After the findings that they refer to.
        let problems = StartProblems(given)
        for objection in [problems.inSettings, problems.inAddresses, problems.inDescriptors] {
            if let objection { fail(objection) }
        }
        attempt { _ in try sandbox?.restrictCalls() }
        for text in sandbox?.missing ?? [] { notes.append("sandbox: \(text)") }
        for note in notes { Console.error(line: "note: \(note)") }
        if failureCount > 0 {
            let hint =
                failureCount == fileErrorCount && !settings.isStrict
                ? "; without --strict, the server may still start despite errors in app files or certificates" : ""
            Console.complain("not ready to start: \(Count.of(failureCount, "problem")) above\(hint)")
            return .failure
        }
        Console.output(line: "ready to start: the server would serve \(Count.of(served, "host"))")
        return .success
    }

    /// The secrets that a server reads before it drops privileges.
    private func readSecrets() throws {
        if let place = settings.admin, let objection = try AdminSettings(place).objection {
            throw Refusal.failure(objection)
        }
        if !settings.https.isEmpty, let file = settings.ticketKeyFile { _ = try TicketKeys(file: file) }
    }

    /// What a manager reads at its start, except for its database.
    private mutating func readManagerSecrets() throws {
        // An objection is among the findings.
        guard settings.manager.isUsable, !settings.manager.isSeparate else { return }
        var inputs = try ManagerInputs(given)
        for problem in inputs.readSecrets() { fail(problem) }
        if let rules = inputs.rules { _ = try ClientContext(authorityFile: rules.authorityFile) }
    }

    /// Before this process becomes another user: the sockets are opened by the parent of a server.
    private mutating func tryAddress(_ address: SocketAddress, _ purpose: Inheritance.Purpose) {
        let folder = address.path.map { ResolvedPath.parent(of: Directory.absolute($0)) }
        // A start creates it before the socket.
        if !hasState, folder == Directory.absolute(given.statePath) { return }
        do throws(SystemError) {
            let account = settings.user.flatMap { try? Account($0) }
            let isShared = try Privileges.acting(as: address.isUnix ? account : nil) { () throws(SystemError) in
                try Listener.isShared(address)
            }
            guard isShared, !settings.reusesPort else { return }
            let process = ListeningSockets.process(at: address)
            guard process.map(Inheritance.Role.has) != false else {
                throw SystemError(call: "bind", number: EADDRINUSE)
            }
            noteServer(process, address, purpose)
        } catch {
            let process = error.cause == .inUse ? ListeningSockets.process(at: address) : nil
            if let process, Inheritance.Role.has(process) { return noteServer(process, address, purpose) }
            fail("\(ListeningSet.refusal(of: address, purpose, error))")
        }
    }

    /// A check that failed because of the server that it is for would be of no use.
    private mutating func noteServer(_ process: Int32?, _ address: SocketAddress, _ purpose: Inheritance.Purpose) {
        let number = ListeningSet.inWords(process)
        let sharing = purpose.isAdmin || address.isUnix ? "" : ", or share the port with --reuse-port"
        notes.append("a running server\(number) listens on \(address); send it SIGUSR2 to replace it\(sharing)")
    }

    /// A missing directory would be created before the change of user, an existing one is written to after it.
    private mutating func tryState(_ attempt: (String) throws(SystemError) -> Void) {
        do throws(SystemError) {
            try attempt(given.statePath)
        } catch {
            fail(
                "the state could not be saved: cannot write to \(given.statePath): \(error.reason); "
                    + error.remedy(writingTo: given.statePath))
        }
    }

    /// Reports everything that `lint` finds, and returns how many hosts would be served.
    private mutating func lint() -> Int {
        var files = LintedFiles(
            arguments, managedPath: given.certificatesPath, isDevelopment: given.isDevelopment)
        files.add(given.configPath)
        files.lint()
        for var finding in files.findings where finding.severity == .error {
            // One tenant's mistake must not keep the others from a reload.
            let isKept = !settings.isStrict && files.keptFiles.contains(finding.file)
            if isKept { finding.severity = .warning }
            Console.error(finding)
            if isKept { continue }
            failureCount += 1
            if finding.file != "\(given.configPath)/server.json" { fileErrorCount += 1 }
        }
        if !settings.isStrict, !files.keptFiles.isEmpty {
            notes.append("the server keeps the last good versions of \(Count.of(files.keptFiles.count, "app file"))")
        }
        if files.findsOtherState {
            fail(
                "the state in \(given.statePath) is of another configuration or environment, and a start would set it aside with its last "
                    + "good versions and the entries that it guards; correct --config or --environment, or name another --state"
            )
        }
        notes += files.otherStates.map(\.text)
        for problem in files.problems { fail(problem) }
        if files.hostCount == 0, files.problems.isEmpty, let problem = StartProblems(given).noHosts { fail(problem) }
        return files.hostCount
    }

    private mutating func attempt(_ step: (inout StartCheck) throws -> Void) {
        do {
            try step(&self)
        } catch {
            fail("\(error)")
        }
    }

    private mutating func fail(_ message: String) {
        failureCount += 1
        Console.complain(message)
    }
}
