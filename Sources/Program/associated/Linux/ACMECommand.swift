// `associated acme`: what the manager does about certificates, for operators. It reads and changes the manager's store, and asks
// DNS itself, so it works whether or not the manager runs.

import ACME
import Administration
import Association
import DNS
import Database
import Hosting
import Issuance
import Management
import Posix
import Serving
import Settings
import Store
import Supervision
import TLS

extension Command {
    static let acme = Command(
        name: "acme", summary: "show and control how certificates are ordered",
        details: """
            associated acme status [HOST]        the hosts without a certificate and why, or the state of HOST
            associated acme check HOST           look at DNS and the authority now, and say what is missing; nothing is ordered
            associated acme issue HOST           try HOST again now, for example after a change of DNS
            associated acme revoke HOST          have the certificate of HOST revoked and replaced
            associated acme import DIR           import the account and the certificates of another ACME client
            associated acme account new          make another account key, which has accounts of its own

            The manager orders a certificate for every served host whose DNS records lead to this server, if server.json has
            `acme: { contact: ["you@example.com"], termsAgreed: true }`; see docs/acme.md.

            DIR is the folder of certbot, lego, acme.sh, dehydrated or Caddy, such as /etc/letsencrypt, or a folder with
            HOST/fullchain.pem and HOST/privkey.pem, such as config/hosts. Nothing in it is changed. Hosts whose certificates are
            imported get no new one until it is time to renew them.
            """,
        operands: Operands(
            usage: "status|check|issue|revoke|import|account [HOST|DIR|new]", counts: 1...2),
        options: [
            .config, .state,
            .setting("--admin").with(
                help: "with status and issue: admin listener of the server (default: that of server.json)"),
            .setting("--admin-token-file").with(
                help: "with status and issue: file with the bearer token of the admin listener"),
            Option(
                name: "--account", value: "FILE",
                help: "account key to import (default: that of DIR for the first of `acme.directories`)"),
            Option(
                name: "--replace-account", value: nil, help: "replace another account key that the manager has already"),
            Option(
                name: "--reason", value: "REASON",
                help: "with revoke: \(ACMERevocation.reasonNames) (default: unspecified)"),
            Option(
                name: "--ignore-limit", value: nil,
                help: "with issue: no longer wait for the end of a limit of the account that the authority has named"),
        ],
        failure:
            "HOST has no certificate or cannot get one now, a host needs a person, the manager does not work, "
            + "something was not imported, or the store cannot be read"
    ) { arguments in
        let (action, operand) = (arguments.operands[0], arguments.operands.dropFirst().first)
        guard ["status", "check", "issue", "revoke", "import", "account"].contains(action) else {
            throw Refusal.usage("unknown action \"\(action)\"; write status, check, issue, revoke, import or account")
        }
        if action != "status", operand == nil {
            throw Refusal.usage(
                "`acme \(action)` needs \(["import": "a DIR", "account": "the word new"][action] ?? "a HOST")"
            )
        }
        let purposes = [
            ("--account", "import"), ("--replace-account", "import"), ("--reason", "revoke"),
            ("--ignore-limit", "issue"),
        ]
        for (option, purpose) in purposes where arguments.has(option) {
            guard purpose == action else { throw Refusal.usage("\(option) is for `acme \(purpose)`") }
        }
        let loaded = try LoadedSettings(arguments)
        let hasRules = loaded.settings.manager.issuance != nil
        if !hasRules { for finding in loaded.findings { Console.error(finding) } }
        guard hasRules || action == "status" && ManagerInputs.remembersOrders(loaded) else {
            throw Refusal.failure("no certificates are ordered: \(missingSettings(loaded))")
        }
        let inputs = try ManagerInputs(loaded)
        let host = operand.map { HostPattern.typed($0) }
        guard action != "status", let rules = inputs.rules else {
            var store = try inputs.openStore(limits: .glance)
            return if let host { try show(host, inputs, &store) } else { try overview(inputs, &store) }
        }
        if action == "import", let folder = operand {
            return try ACMEImport.run(folder, loaded, inputs, rules, arguments)
        }
        if action == "account", let verb = operand { return try replaceAccount(verb, loaded, inputs) }
        if action == "revoke", let host {
            return try ACMERevocation.run(host, reason: arguments["--reason"], loaded, inputs, rules)
        }
        guard let host else { preconditionFailure("the others have a host") }
        var store = try inputs.openStore()
        return action == "check"
            ? try check(host, inputs, rules, &store)
            : try hurry(host, arguments.has("--ignore-limit"), inputs, rules, &store)
    }

    private static func replaceAccount(
        _ verb: String, _ loaded: LoadedSettings, _ inputs: ManagerInputs
    ) throws -> ExitStatus {
        guard verb == "new" else { throw Refusal.usage("unknown action \"account \(verb)\"; write account new") }
        // The key will be in memory, and a core dump would copy it to disk.
        try? ProcessMemory.forbidDumps()
        try ACMEImport.becomeOwner(of: loaded)
        var store = try inputs.openStore()
        _ = try AccountSecret.adopt(AccountKey(try SigningKey(.p256)), replaces: true, &store)
        let secret = try AccountSecret.load(&store)
        // The server of this machine answers challenges with the key from now on, so that `acme check` can be used at once. The
        // manager does the same within a minute, and says what prevents it.
        try? secret.publish(at: inputs.places.thumbprint)
        Console.output(line: "the manager has a new account key, with the thumbprint \(secret.key.thumbprint)")
        Console.output(
            line:
                "next: nothing; the manager registers the key at each authority before its next order; certificates stay valid, "
                + "and orders under way start again")
        return .success
    }

    /// Why there are no settings for certificates.
    private static func missingSettings(_ loaded: LoadedSettings) -> String {
        let file = "\(loaded.configPath)/server.json"
        if loaded.text == nil, loaded.findings.isEmpty {
            return
                "there is no \(file); run this in the directory where the server was started, or give --config and --state"
        }
        return loaded.findings.isEmpty
            ? "\(file) has no `acme`; set it as docs/acme.md says"
            : "\(file) cannot be used as it is; correct what is reported above"
    }

    /// The numbers by state, and the hosts that have no certificate.
    private static func overview(_ inputs: ManagerInputs, _ store: inout Store) throws(DatabaseError) -> ExitStatus {
        let (figures, hosts, forecast) = try store.read { transaction throws(DatabaseError) in
            (
                try IssuanceFigures(inputs.rules, in: transaction),
                try IssuanceReport.unsettled(limit: comparedMax, in: transaction),
                try inputs.rules.map { rules throws(DatabaseError) in
                    try QueueForecast(rules, PublicSuffixes(), in: transaction)
                }
            )
        }
        Console.output(line: figures.counts ?? "no hosts yet: the manager has not asked the server")
        for limit in figures.accountLimits { Console.output(line: limit.line) }
        let obstacle = inputs.obstacle
        for line in IssuanceReport.lines(hosts, forecast, obstacle: obstacle, max: overviewMax) {
            Console.output(line: line)
        }
        if let obstacle { Console.output(line: obstacle) }
        return obstacle == nil && figures.stuck.isEmpty && inputs.objection == nil ? .success : .failure
    }

    private static let overviewMax = 50
    /// How many hosts are compared to find common problems.
    private static let comparedMax: Int64 = 10_000

    private static func show(
        _ host: String, _ inputs: ManagerInputs, _ store: inout Store
    ) throws(DatabaseError) -> ExitStatus {
        guard
            case .host(let report?, let forecast, let obstacle) = try IssuanceOverview.load(host, inputs, &store)
        else { return unknown(host, inputs) }
        Console.output(line: "\(host): \(report.line(forecast, obstacle: obstacle))")
        for line in report.details(obstacle: obstacle) { Console.output(line: line) }
        let isCertified = CertificateTerm(report)?.isOver(now: Clock.wallSeconds()) == false
        return isCertified && obstacle == nil ? .success : .failure
    }

    private static func hurry(
        _ host: String, _ ignoresLimit: Bool, _ inputs: ManagerInputs, _ rules: IssuanceRules, _ store: inout Store
    ) throws(DatabaseError) -> ExitStatus {
        let (found, forecast, limits) = try store.write { transaction throws(DatabaseError) in
            if ignoresLimit { _ = try rules.liftLimits(in: transaction) }
            let limits = try AccountLimit.all(in: transaction)
            let report = try IssuanceReport.load(host, in: transaction)
            if report?.isSettled(now: Clock.wallSeconds() * 1_000) == false {
                _ = try IssuanceReport.hurry(host, in: transaction)
            }
            // Renewals are free of the limits.
            guard let report, report.notAfter == nil else { return (report, QueueForecast?.none, limits) }
            return (report, try QueueForecast(rules, PublicSuffixes(), with: host, in: transaction), limits)
        }
        for limit in limits { Console.output(line: limit.line) }
        guard let report = found else { return unknown(host, inputs) }
        if let term = CertificateTerm(report), report.isSettled(now: Clock.wallSeconds() * 1_000) {
            Console.output(line: "\(host) has a \(term.text(now: Clock.wallSeconds())); nothing to do")
            return .success
        } else if let obstacle = inputs.obstacle {
            Console.output(line: "\(host) is tried as soon as the manager works; \(obstacle)")
            return .failure
        } else if let turn = forecast?[host], turn.waitMilliseconds >= 60_000 {
            Console.output(
                line: "\(host) is checked again now, and then \(turn); see "
                    + "`associated acme status \(host)`")
        } else {
            Console.output(line: "\(host) is tried again now; see `associated acme status \(host)`")
        }
        return try isAuthorityThere(rules, &store) ? .success : .failure
    }

    /// Asks the authority for the account, and says so if that is not possible.
    private static func isAuthorityThere(
        _ rules: IssuanceRules, _ store: inout Store
    ) throws(DatabaseError) -> Bool {
        let account = try AccountSecret.load(&store)
        do {
            var link = try AuthorityClient(rules, account, userAgent: Product.userAgent)
            _ = try link.account(at: rules.directories[0])
            return true
        } catch {
            Console.error(line: "no order is possible now: \(error)")
            return false
        }
    }

    private static func unknown(_ host: String, _ inputs: ManagerInputs) -> ExitStatus {
        let reason =
            inputs.exclusion(of: host)
            ?? inputs.obstacle ?? unseen(host, inputs)
        return .failure(saying: "\(host) is not among the hosts that get a certificate: \(reason)")
    }

    /// Why the manager does not know a host that the settings allow.
    private static func unseen(_ host: String, _ inputs: ManagerInputs) -> String {
        guard DomainName(host) != nil else { return "it is not a host name" }
        let notYet = "the manager has not seen it yet; it asks the server every few seconds"
        guard let place = inputs.server else { return notYet }
        do {
            let server = try AdminSettings(place)
            let response = try AdminClient.get(
                "/status/\(host)", from: server.address, token: server.token,
                timeoutMilliseconds: serverTimeoutMilliseconds)
            // Of a wildcard, the server knows only the hosts below it.
            if response.status == 404, !host.hasPrefix("*.") { return "the server does not serve it" }
            return notYet
        } catch {
            return "the manager has not seen it, and the server cannot be asked: \(error)"
        }
    }

    private static let serverTimeoutMilliseconds = 5_000

    private static func check(
        _ host: String, _ inputs: ManagerInputs, _ rules: IssuanceRules, _ store: inout Store
    ) throws -> ExitStatus {
        let account = try AccountSecret.load(&store)
        let limits = try store.read { transaction throws(DatabaseError) in
            // Renewals are free of the limits.
            try IssuanceReport.load(host, in: transaction)?.notAfter == nil ? AccountLimit.all(in: transaction) : []
        }
        let report = try HostPreflight.run(host, rules, account, userAgent: Product.userAgent)
        let obstacles = limits.map(\.line) + [report.authorityProblem].compactMap(\.self)
        for line in report.found { Console.output(line: "found   \(line)") }
        for line in report.wanted { Console.output(line: "wanted  \(line)") }
        for line in report.notes { Console.output(line: "note    \(line)") }
        switch report.problem {
        case nil:
            let exclusion = inputs.exclusion(of: host).map { "; but no certificate is ordered: \($0)" } ?? ""
            let obstacle =
                obstacles.isEmpty ? "" : "; but no order is possible now: \(obstacles.joined(separator: "; "))"
            Console.output(line: "\(host): DNS is right\(exclusion)\(obstacle)")
        case .dns(let text)?, .caa(let text)?:
            for obstacle in obstacles { Console.error(line: "no order is possible now: \(obstacle)") }
            if rules.isPreflightRequired { return .failure(saying: text) }
            Console.output(line: "note    \(text)")
            Console.output(line: "\(host): ordered all the same, because `acme.preflight` is \"off\"")
        }
        return obstacles.isEmpty ? .success : .failure
    }
}
