// `associated token` and `associated audit`: for the operator of the machine, who may read the manager's store. They work without a token,
// so the first one can be made.

import Association
import Database
import Management
import Posix
import Publishing
import Settings
import SourceJSON
import Store
import Supervision

extension Command {
    static let token = Command(
        name: "token", summary: "create, list and revoke tokens of the API",
        details: """
            associated token create [--tenant NAME] --scopes LIST    print a new token; it is shown once
            associated token list                                    the tokens, without their secrets
            associated token revoke ID                               end a token

            A token of a tenant, which is created with its first token, sees nothing of another. Without --tenant it is for all of them.
            The scopes are \(AccessToken.scopeNames.joined(separator: ", ")); admin includes the others.

            Run it on the manager's machine, as its user or root.
            """,
        operands: Operands(usage: "create|list|revoke [ID]", counts: 1...2),
        options: [
            .config, .state, .tenant,
            Option(name: "--scopes", value: "LIST", help: "with create: scopes, separated by commas"),
            Option(
                name: "--days", value: "NUMBER",
                help: "with create: how long it is valid (default: \(AccessToken.daysUsual))"),
            Option(name: "--label", value: "TEXT", help: "with create: what it is for"), .format,
        ],
        failure: "there is no such token, or the store cannot be used"
    ) { arguments in
        let (action, id) = (arguments.operands[0], arguments.operands.dropFirst().first)
        guard ["create", "list", "revoke"].contains(action) else {
            throw Refusal.usage("unknown action \"\(action)\"; write create, list or revoke")
        }
        guard (id != nil) == (action == "revoke") else {
            throw Refusal.usage(action == "revoke" ? "`token revoke` needs an ID" : "`token \(action)` takes no ID")
        }
        var store = try openStore(arguments)
        let tenant = arguments["--tenant"]
        switch action {
        case "create":
            let scopes = arguments["--scopes"]?.split(separator: ",").map(String.init) ?? []
            if let wrong = scopes.first(where: { !AccessToken.scopeNames.contains($0) }) {
                throw Refusal.usage(
                    "\"\(wrong)\" is not a scope; write some of \(AccessToken.scopeNames.joined(separator: ", "))")
            }
            if scopes.isEmpty { throw Refusal.usage("`token create` needs --scopes") }
            guard let days = Int64(arguments["--days"] ?? "\(AccessToken.daysUsual)"),
                (1...AccessToken.daysMax).contains(days)
            else {
                throw Refusal.usage("--days must be 1 to \(AccessToken.daysMax)")
            }
            if let tenant, !Publisher.isTenantName(tenant) {
                throw Refusal.usage("the name of a tenant has a-z, 0-9 and \"-\"")
            }
            let text = try store.write { transaction throws(DatabaseError) in
                if let tenant { try Publisher.createTenant(tenant, by: operatorName, in: transaction) }
                return try AccessToken.create(
                    tenant: tenant, label: arguments["--label"] ?? "", scopes: scopes, days: days, author: operatorName,
                    in: transaction
                ).text
            }
            Console.output(line: text)
            return .success
        case "list":
            let tokens = try store.read { transaction throws(DatabaseError) in
                try AccessToken.all(of: tenant, in: transaction)
            }
            if try arguments.wantsJSON() {
                return Console.output(data: SourceWriter.canonical(.array(tokens.map(\.value)))) ? .success : .failure
            }
            for token in tokens { Console.output(line: Printable.line(token.line)) }
            return .success
        default:
            let isGone = try store.write { transaction throws(DatabaseError) in
                try AccessToken.revoke(id ?? "", of: tenant, by: operatorName, in: transaction)
            }
            return isGone ? .success : .failure(saying: "there is no token \(id ?? "")")
        }
    }

    private static let operatorName = "operator"

    private static func openStore(_ arguments: ParsedArguments) throws -> Store {
        let loaded = try LoadedSettings(arguments)
        let inputs = try ManagerInputs(loaded)
        let isThere = if case .sqlite(let path) = inputs.location { File.exists(path) } else { false }
        // A development server has an API without the setting.
        guard loaded.settings.manager.api != nil || isThere else {
            throw Refusal.failure(
                "nothing is published here: \(loaded.configPath)/server.json has no `api`; write `api: \"127.0.0.1:9466\"`, or give "
                    + "--config and --state")
        }
        // Opening a database that is missing would create an empty one, beside the log of one that was only moved away.
        if case .sqlite(let path) = inputs.location, !isThere {
            throw Refusal.failure(
                "there is no database at \(path); start the server first, and run this where it works, or give --config and --state"
            )
        }
        return try inputs.openStore()
    }

    static let audit = Command(
        name: "audit", summary: "show who has changed what, and verify that nothing was altered",
        details: """
            associated audit            the entries, oldest first
            associated audit verify     recompute the digests of all entries; prints the last one, to be kept elsewhere

            Each entry's digest covers the entry before it. An entry that was changed or removed is found, unless all that follow were
            rewritten too: compare the last digest with one that was kept.
            """,
        operands: Operands(usage: "[verify]", counts: 0...1), options: [.config, .state, .tenant, .format],
        failure: "an entry is not what was written, or the store cannot be used"
    ) { arguments in
        if let word = arguments.operands.first, word != "verify" {
            throw Refusal.usage("unknown action \"\(word)\"; write verify")
        }
        let (verifies, isJSON) = (!arguments.operands.isEmpty, try arguments.wantsJSON())
        if verifies, arguments.isTyped("--tenant") { throw Refusal.usage("`audit verify` is about all tenants") }
        var store = try openStore(arguments)
        var last: (seq: Int64, digest: String) = (0, "")
        var after: Int64 = 0
        while true {
            let page = try store.read { transaction throws(DatabaseError) in
                try AuditLog.page(after: after, tenant: verifies ? nil : arguments["--tenant"], in: transaction)
            }
            guard let end = page.last else { break }
            if verifies, let fault = AuditLog.fault(in: page, after: &last) {
                return .failure(saying: "entry \(fault.seq) is not what was written, or one before it is missing")
            }
            for entry in verifies ? [] : page {
                if isJSON {
                    Console.output(line: SourceWriter.line(entry.value))
                } else {
                    Console.output(line: Printable.line(entry.line))
                }
            }
            after = end.seq
        }
        if verifies { Console.output(line: "\(last.seq) entries, the last with the digest \(last.digest)") }
        return .success
    }
}
