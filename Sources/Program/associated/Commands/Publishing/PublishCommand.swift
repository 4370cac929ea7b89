// `associated publish`, `releases`, `approve`, `rollback` and `hosts`: the API for people and for scripts.

import Association
import Libc
import Posix
import SourceJSON
import Supervision
import TLS

extension Command {
    static let publish = Command(
        name: "publish", summary: "publish the app files of a directory as a release",
        details: """
            Makes the files in DIR (*.json and *.json5) the app files of the tenant: new and changed ones are published, others are
            removed, all in one release or not at all. If nothing differs from what is live, nothing is done.

            The release is checked first, as `associated lint` and `associated diff` do. It is refused if a file has an error or names a
            host that the tenant does not own, or if it takes away what phones rely on.
            """,
        operands: Operands(usage: "DIR", counts: 1...1),
        options: [
            trial, Option(name: "--message", value: "TEXT", help: "what the change is for"),
            Option(name: "--source", value: "TEXT", help: "where it comes from, such as a commit"),
            Option(name: "--at", value: "TIME", help: "when it goes live, such as 2026-12-01T08:00:00Z (default: now)"),
            retirement,
            Option(
                name: "--wait", value: "served|apple",
                help:
                    "if it is live: wait until a server serves it, at most 2 minutes, or Apple has it, too, at most 70 minutes"
            ),
        ] + Option.publishing + [.format],
        failure: "the release is refused or not served, or the API does not answer"
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let wait: Wait? = try arguments.choice("--wait")
        let client = try PublishingClient(arguments)
        let live = try client.ask("GET", "/apps").value
        let changes = try changes(from: arguments.operands[0], live, mayRemoveAll: arguments.has("--retire"))
        let base = live.member(named: "release")?.asInt ?? 0
        if changes.isEmpty {
            Console.output(line: "release \(base) has the same files")
            return .success
        }
        let release = SourceValue.object(
            [("base", .integer(base)), ("changes", .object(changes)), ("retire", .bool(arguments.has("--retire")))]
                + [("--message", "message"), ("--source", "source"), ("--at", "publishAt")].compactMap { option, name in
                    arguments[option].map { (name, .string($0)) }
                })
        if arguments.has("--check") {
            let report = try client.ask("POST", "/releases:check", release).value
            if isJSON { return Console.output(data: SourceWriter.canonical(report)) ? .success : .failure }
            show(check: report)
            Console.output(line: "\(Count.of(changes.count, "file")) would change")
            return .success
        }
        let made = try client.ask("POST", "/releases", release).value
        if isJSON { Console.output(data: SourceWriter.canonical(made)) } else { show(made: made) }
        let number = made.member(named: "number")?.asInt ?? 0
        guard let wait, made.member(named: "state")?.asString == "live" else { return .success }
        let status = try waitForServer(number, client, says: !isJSON)
        return wait == .apple && status == .success ? try waitForApple(number, client, says: !isJSON) : status
    }

    private enum Wait: String, CaseIterable { case served, apple }

    private static let trial = Option(
        name: "--check", value: nil, help: "say what publishing would do, and do nothing")
    private static let retirement = Option(
        name: "--retire", value: nil, help: "what it takes away is meant to go, although phones rely on it")

    /// The files that differ from the live ones.
    private static func changes(
        from folder: String, _ live: SourceValue, mayRemoveAll: Bool
    ) throws(Refusal) -> [(String, SourceValue)] {
        var known: [String: String] = [:]
        for item in live.member(named: "items")?.asArray ?? [] {
            if let name = item.member(named: "name")?.asString { known[name] = item.member(named: "digest")?.asString }
        }
        var entries: [DirectoryEntry]
        do throws(SystemError) { entries = try Directory.entries(folder) } catch {
            throw .failure("cannot read \(folder): \(error.reason)")
        }
        entries = entries.filter { entry in
            entry.kind == .file && !entry.name.hasPrefix(".")
                && [".json", ".json5"].contains { entry.name.hasSuffix($0) }
        }
        // A wrong path must not take a tenant offline.
        if entries.isEmpty, known.isEmpty || !mayRemoveAll {
            throw .failure(
                "\(folder) has no app files"
                    + (known.isEmpty ? "" : "; if all files are meant to go, repeat with --retire"))
        }
        var changes: [(String, SourceValue)] = []
        for entry in entries {
            let bytes = try InputFile.read("\(folder)/\(entry.name)")
            if let digest = known.removeValue(forKey: entry.name), digest == Digest.hexadecimal(Digest.sha256(bytes)) {
                continue
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .failure("\(folder)/\(entry.name) is not UTF-8; save it as UTF-8")
            }
            changes.append((entry.name, .string(text)))
        }
        return changes + known.keys.sorted().map { ($0, .null) }
    }

    private static func show(check report: SourceValue) {
        let losses = PublishingClient.losses(in: report)
        for line in PublishingClient.findings(in: report) + losses + PublishingClient.gains(in: report) {
            Console.output(line: line)
        }
    }

    /// A new release, with what it takes away.
    private static func show(made release: SourceValue) {
        show(release)
        for line in PublishingClient.losses(in: release) { Console.output(line: line) }
    }

    /// A release in a few lines.
    static func show(_ release: SourceValue) {
        func text(_ name: String) -> String? { release.member(named: name)?.asString }
        let number = release.member(named: "number")?.asInt ?? 0
        let times = [("ended", "at"), ("liveSince", "since"), ("publishAt", "for")].compactMap { name, word in
            text(name).map { " \(word) \($0)" }
        }
        let message = text("message").flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        Console.output(
            line: Printable.line(
                "release \(number) of \(text("tenant") ?? ""): \(text("state") ?? "")\(times.first ?? ""), by \(text("author") ?? "")\(message)"
            ))
        if text("state") == "proposed" {
            Console.output(line: "  next: `associated approve \(number)` with another token, of the scope approve")
        }
        if let reason = text("reason") { Console.output(line: Printable.line("  refused: \(reason)")) }
        for outcome in release.member(named: "outcomes")?.asArray ?? [] {
            let words = ["node", "state", "detail"].map { outcome.member(named: $0)?.asString ?? "" }
            Console.output(line: Printable.line("  \(words[0]): \(words[1])\(words[2].isEmpty ? "" : ": \(words[2])")"))
        }
        for line in PublishingClient.findings(in: release) { Console.output(line: "  \(line)") }
    }

    private static let waitMilliseconds: Int64 = 120_000
    private static let askMicroseconds: UInt32 = 500_000

    /// Waits until a server has the release.
    private static func waitForServer(_ number: Int, _ client: PublishingClient, says: Bool) throws(Refusal)
        -> ExitStatus
    {
        let end = Clock.monotonicMilliseconds() + waitMilliseconds
        while Clock.monotonicMilliseconds() < end {
            let release = try client.ask("GET", "/releases/\(number)").value
            let outcomes = release.member(named: "outcomes")?.asArray ?? []
            let states = outcomes.compactMap { $0.member(named: "state")?.asString }
            let state = release.member(named: "state")?.asString ?? ""
            if state != "live" { return .failure(saying: Printable.line("release \(number) is \(state) by now")) }
            if !states.isEmpty, states.allSatisfy({ $0 == "served" }) {
                if says { Console.output(line: "served") }
                return .success
            }
            if let bad = outcomes.first(where: { ["held", "broken"].contains($0.member(named: "state")?.asString) }) {
                return .failure(saying: Printable.line("not served: \(bad.member(named: "detail")?.asString ?? "")"))
            }
            usleep(askMicroseconds)
        }
        return .failure(saying: "no server has reported that it serves release \(number); see `associated status`")
    }

    /// The monitor looks after 2, 10 and 60 minutes.
    private static let appleMinutes: Int64 = 70
    private static let appleAskMicroseconds: UInt32 = 5_000_000

    /// Waits until Apple has the files that the release has changed.
    private static func waitForApple(_ number: Int, _ client: PublishingClient, says: Bool) throws(Refusal)
        -> ExitStatus
    {
        let end = Clock.monotonicMilliseconds() + appleMinutes * 60_000
        while true {
            let release = try client.ask("GET", "/releases/\(number)").value
            let state = release.member(named: "state")?.asString ?? ""
            if state != "live" { return .failure(saying: Printable.line("release \(number) is \(state) by now")) }
            guard let apple = release.member(named: "apple"), apple.asObject != nil else {
                return .failure(
                    saying: "the manager does not watch what Apple has; write `delivery: {}` in server.json")
            }
            let missing = apple.member(named: "missing")?.asArray ?? []
            if missing.isEmpty {
                if says {
                    Console.output(
                        line: "Apple has it for \(Count.of(apple.member(named: "equal")?.asInt ?? 0, "host"))")
                }
                return .success
            }
            if Clock.monotonicMilliseconds() >= end {
                for host in missing {
                    let words = ["host", "state", "detail"].map { host.member(named: $0)?.asString ?? "" }
                    Console.error(
                        line: Printable.line("  \(words[0]): \(words[1])\(words[2].isEmpty ? "" : ": \(words[2])")"))
                }
                return .failure(
                    saying: "Apple does not have it after \(appleMinutes) minutes; it fetches a file again within a day"
                )
            }
            usleep(appleAskMicroseconds)
        }
    }

    static let releases = Command(
        name: "releases", summary: "show the releases of a tenant",
        details: """
            Prints the latest releases, newest first, or one of them with its files, what it changed, and what each node has made of it.
            """,
        operands: Operands(usage: "[NUMBER]", counts: 0...1), options: Option.publishing + [.format],
        failure: "there is no such release, or the API does not answer"
    ) { arguments throws(Refusal) in
        let client = try PublishingClient(arguments)
        let number = try arguments.operands.first.map { text throws(Refusal) in try releaseNumber(text) }
        let found = try client.ask("GET", number.map { "/releases/\($0)" } ?? "/releases").value
        if try arguments.wantsJSON() {
            return Console.output(data: SourceWriter.canonical(found)) ? .success : .failure
        }
        guard number != nil else {
            for release in found.member(named: "items")?.asArray ?? [] { show(release) }
            return .success
        }
        show(found)
        for file in found.member(named: "files")?.asArray ?? [] {
            let words = ["name", "digest"].map { file.member(named: $0)?.asString ?? "" }
            Console.output(line: "  \(words[0]) \(words[1].prefix(12))")
        }
        for line in PublishingClient.losses(in: found) + PublishingClient.gains(in: found) {
            Console.output(line: line)
        }
        return .success
    }

    private static func releaseNumber(_ text: String) throws(Refusal) -> Int {
        guard let number = Int(text), number > 0 else { throw .usage("\"\(text)\" is not the number of a release") }
        return number
    }

    static let approve = Command(
        name: "approve", summary: "approve or refuse a release of another",
        details:
            "A release that waits for an approval goes live, at once or at its time. With --reject, it never does.",
        operands: Operands(usage: "NUMBER", counts: 1...1),
        options: [Option(name: "--reject", value: "REASON", help: "refuse it, and say why")] + Option.publishing,
        failure: "the release does not wait, is the token's own, or the API does not answer"
    ) { arguments throws(Refusal) in
        let number = try releaseNumber(arguments.operands[0])
        let client = try PublishingClient(arguments)
        let reason = arguments["--reject"]
        let path = "/releases/\(number):\(reason == nil ? "approve" : "reject")"
        show(try client.ask("POST", path, reason.map { .object([("reason", .string($0))]) }).value)
        return .success
    }

    static let rollback = Command(
        name: "rollback", summary: "publish the files of an earlier release again",
        details:
            "The files of release NUMBER become a new release, with the same checks. What went live within a day may go.",
        operands: Operands(usage: "NUMBER", counts: 1...1),
        options: [trial, Option(name: "--message", value: "TEXT", help: "what it is for"), retirement]
            + Option.publishing,
        failure: "the release is refused, or the API does not answer"
    ) { arguments throws(Refusal) in
        let number = try releaseNumber(arguments.operands[0])
        let client = try PublishingClient(arguments)
        let body = SourceValue.object(
            [("retire", .bool(arguments.has("--retire")))]
                + (arguments["--message"].map { [("message", .string($0))] } ?? []))
        if arguments.has("--check") {
            let report = try client.ask("POST", "/releases/\(number):check", body).value
            show(check: report)
            if report.member(named: "changed")?.asBool == false {
                Console.output(line: "it has the files that are live")
            }
            return .success
        }
        show(made: try client.ask("POST", "/releases/\(number):rollback", body).value)
        return .success
    }

    static let hosts = Command(
        name: "hosts", summary: "show, claim and give up the hosts of a tenant",
        details: """
            associated hosts                  the hosts that the tenant claims, and what is missing
            associated hosts claim HOST       claim HOST; prints the TXT record that proves it
            associated hosts check HOST       look for the record now
            associated hosts release HOST     give up HOST
            """,
        operands: Operands(usage: "[claim|check|release HOST]", counts: 0...2),
        options: [
            Option(
                name: "--vouch", value: nil,
                help: "with claim: an operator vouches for the tenant; needs the scope admin")
        ] + Option.publishing + [.format],
        failure: "the host belongs to another or is not proved, or the API does not answer"
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let client = try PublishingClient(arguments)
        guard let action = arguments.operands.first else { return try list(client, isJSON) }
        guard let methods = ["claim": ("PUT", ""), "check": ("POST", ":check"), "release": ("DELETE", "")][action]
        else {
            throw .usage("unknown action \"\(action)\"; write claim, check or release")
        }
        guard arguments.operands.count == 2 else { throw .usage("`hosts \(action)` needs a HOST") }
        let path = "/hosts/\(PublishingClient.escaped(HostPattern.typed(arguments.operands[1])))\(methods.1)"
        let body =
            action == "claim"
            ? SourceValue.object([("proof", .string(arguments.has("--vouch") ? "operator" : "dns"))]) : nil
        let claim = try client.ask(methods.0, path, body).value
        if action == "release" { return .success }
        if isJSON { Console.output(data: SourceWriter.canonical(claim)) } else { show(claim: claim) }
        return action == "claim" || claim.member(named: "state")?.asString == "owned" ? .success : .failure
    }

    private static func list(_ client: PublishingClient, _ isJSON: Bool) throws(Refusal) -> ExitStatus {
        var after: String? = ""
        while let place = after {
            let page = try client.ask(
                "GET", "/hosts\(place.isEmpty ? "" : "?after=\(PublishingClient.escaped(place))")"
            ).value
            if isJSON { Console.output(data: SourceWriter.canonical(page)) }
            for claim in isJSON ? [] : page.member(named: "items")?.asArray ?? [] { show(claim: claim) }
            after = page.member(named: "next")?.asString
        }
        return .success
    }

    private static func show(claim: SourceValue) {
        func text(_ name: String) -> String? { claim.member(named: name)?.asString }
        let record = claim.member(named: "record")
        Console.output(line: Printable.line("\(text("host") ?? ""): \(text("state") ?? "") (\(text("proof") ?? ""))"))
        if let problem = text("problem") { Console.output(line: Printable.line("  found: \(problem)")) }
        guard let next = text("next"), let name = record?.member(named: "name")?.asString else { return }
        Console.output(
            line: Printable.line("  record: \(name) TXT \"\(record?.member(named: "value")?.asString ?? "")\""))
        Console.output(line: Printable.line("  next: \(next): associated hosts check \(text("host") ?? "")"))
    }
}
