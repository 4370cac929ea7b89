// `serve --check`: everything that a start depends on, tried in the order of a start, without serving. It goes on behind a
// failure, so that one run tells everything. The process gives up the same rights as a server, because what may be read and
// written shows only then; it never listens, so a server that runs beside it loses no connection.

import Administration
import Association
import Engine
import HTTP
import Hosting
import Posix
import TLS

struct StartCheck {
    private let arguments: ParsedArguments
    private var given: LoadedSettings
    private var failureCount = 0
    /// What an operator may want to know of what is fine.
    private var notes: [String] = []

    init(_ given: LoadedSettings, _ arguments: ParsedArguments) {
        self.given = given
        self.arguments = arguments
    }

    private var settings: ServerSettings { given.settings }

    mutating func run() -> ExitStatus {
        var sandbox: Sandbox?
        var opensSockets = true
        attempt { check in
            try Folder.requireKernel()
            try ProcessMemory.forbidDumps()
            let sockets = try ServerSockets()
            opensSockets = sockets.isEmpty
            check.given.settings = sockets.replacingAddresses(of: check.settings)
        }
        attempt { check in try check.readSecrets() }
        attempt { check in
            var steps = Sandbox(check.settings, places: SandboxPlaces(check.given, opensSockets: opensSockets))
            try steps.changeUser()
            try ProcessMemory.forbidDumps()
            try steps.restrictFiles()
            sandbox = steps
        }
        if opensSockets { for address in settings.http + settings.https { tryAddress(address) } }
        if let address = settings.admin?.address { tryAddress(address) }
        tryState()
        let served = lint()
        // Behind the findings that they speak of.
        let objections = StartObjections(given)
        for objection in [objections.toSettings, objections.toAddresses].compactMap(\.self) { fail(objection) }
        attempt { _ in try sandbox?.restrictCalls() }
        for text in sandbox?.missing ?? [] { notes.append("sandbox: \(text)") }
        for note in notes { Console.error(line: "note: \(note)") }
        if failureCount > 0 {
            Console.complain("the server would not start as it should: \(Count.of(failureCount, "condition")) above")
            return .failure
        }
        Console.output(line: "everything is fine: the server would serve \(Count.of(served, "host"))")
        return .success
    }

    /// What a server reads before it gives up rights.
    private func readSecrets() throws {
        if let place = settings.admin, let objection = try AdminSettings(place).objection {
            throw AdminListener.StartError.refused(objection)
        }
        if !settings.https.isEmpty, let file = settings.ticketKeyFile { _ = try TicketKeys(file: file) }
    }

    private mutating func tryAddress(_ address: SocketAddress) {
        do throws(SystemError) {
            if try Listener.isShared(address), !settings.reusesPort {
                notes.append("a server of this user listens on \(address): beside it, a start needs --reuse-port")
            }
        } catch {
            fail("\(Engine.StartError.cannotListen(address, error))")
        }
    }

    private mutating func tryState() {
        do throws(SystemError) {
            try File.probe(given.statePath)
        } catch {
            fail(
                "nothing would be remembered: cannot write to \(given.statePath): \(error.reason); "
                    + error.remedy(writingTo: given.statePath))
        }
    }

    /// Everything that is wrong with files, as `lint` says it; how many hosts would be served.
    private mutating func lint() -> Int {
        var files = LintedFiles(arguments, forced: nil)
        files.add(given.configPath)
        files.lint()
        for finding in files.findings where finding.severity == .error {
            Console.error(finding)
            failureCount += 1
        }
        for problem in files.problems { fail(problem) }
        if files.hostCount == 0 { fail(StartObjections(given).toNothing) }
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

/// Why a server does not start with what it was given, and what to do. `serve` exits with the first of them, `serve --check` reports
/// the same.
struct StartObjections {
    private let given: LoadedSettings

    init(_ given: LoadedSettings) { self.given = given }

    private var settings: ServerSettings { given.settings }

    /// Before anything is done with settings that are not what the operator wants.
    var toSettings: String? {
        if given.findings.contains(where: { $0.rule == .cfg001 }) {
            // With none of its settings the server would listen elsewhere than it is asked for.
            return "\(given.configPath)/server.json cannot be read; fix or remove it"
        }
        if given.lostSafeguards.isEmpty { return nil }
        let keys = given.lostSafeguards.map { "`\($0)`" }.joined(separator: " and ")
        return
            "without \(keys) of \(given.configPath)/server.json, which cannot be used as it is, the server "
            + "would be less safe than it is meant to be; fix what is reported above"
    }

    /// A server that would answer nothing does not start.
    func to(_ loaded: RoundReport) -> String? {
        let errors = (given.findings + loaded.findings).count { $0.severity == .error }
        if settings.isStrict, errors > 0 {
            return "\(Count.of(errors, "error")) above, and --strict is set"
        }
        return loaded.hostCount == 0 ? toNothing : toAddresses
    }

    /// Another process of this user listens there: half of the clients would get its answers. What else is in the way is
    /// said when it is bound.
    func toSharing(_ address: SocketAddress) -> String? {
        guard !settings.reusesPort, (try? Listener.isShared(address)) == true else { return nil }
        let process = ListeningSockets.process(at: address).map { " (process \($0))" } ?? ""
        return
            "cannot listen on \(address): another server of this user listens there\(process); stop it, choose another "
            + "port, or share the port with --reuse-port to replace it without a gap"
    }

    /// Without any host to serve.
    var toNothing: String {
        "no app file in \(given.configPath)/apps gives a host to serve; write one, or fix what is reported above"
    }

    /// Whether there is an address to be asked at, and a client that is let in.
    var toAddresses: String? {
        if settings.http.isEmpty, settings.https.isEmpty {
            return "there is no address to listen on; give one with --http or --https"
        }
        if case .off = settings.proxyProtocol { return nil }
        if settings.proxies.trusted.isEmpty {
            return
                "with the PROXY protocol and no trusted front every client would be refused; name the "
                + "fronts with --trust"
        }
        return nil
    }
}
