// What the API asks of tenants, their files and their tokens.

import Association
public import Database
import Service
import TLS

extension Publisher {
    func tenant(_ name: String) throws(APIProblem) -> PublishingTenant {
        let found = try read { transaction throws(DatabaseError) in try PublishingTenant.load(name, in: transaction) }
        if let found { return found }
        throw APIProblem(.unknown, "there is no tenant \(name)")
    }

    func release(_ tenant: String, _ number: Int64) throws(APIProblem) -> Release {
        let found = try read { transaction throws(DatabaseError) in
            try Release.load(number, of: tenant, in: transaction)
        }
        if let found { return found }
        throw APIProblem(.unknown, "\(tenant) has no release \(number)")
    }

    func file(_ name: String, of tenant: String, _ release: Int64) throws(APIProblem) -> [UInt8] {
        let content = try read { transaction throws(DatabaseError) in
            try Release.content(of: tenant, release, in: transaction)
        }
        if let bytes = content.files[name] { return bytes }
        throw APIProblem(.unknown, "release \(release) of \(tenant) has no app file \(name.prefix(100))")
    }

    /// The rules of the live app files that name the host of a URL, or else of those that name its nearest wildcard.
    func matching(for url: LinkURL, of name: String) throws(APIProblem) -> LinkMatching {
        let tenant = try tenant(name)
        let content = try read { transaction throws(DatabaseError) in
            try Release.content(of: name, tenant.live, in: transaction)
        }
        let apps = LinkMatching.apps(for: url.host, of: content.apps(of: name, environment: environment))
        let byteCount = apps.reduce(0) { $0 + (content.files[String($1.file.dropFirst(name.count + 1))]?.count ?? 0) }
        if LinkMatching.isLong(url, rules: byteCount) {
            throw APIProblem(.tooLarge, "the rules of \(url.host) are too long for a link of this length here")
        }
        return LinkMatching(of: apps, configPath: name)
    }

    func putTenant(
        _ name: String, needsApproval: Bool?, by identity: Identity
    ) throws(APIProblem) -> (PublishingTenant, isNew: Bool) {
        try write { transaction throws(DatabaseError) in
            let isNew = try Publisher.createTenant(name, by: identity.name, in: transaction)
            let present = try PublishingTenant.load(name, in: transaction)?.needsApproval
            if let needsApproval, needsApproval != present {
                try transaction.execute(
                    "update tenant set approval = ? where name = ?", needsApproval ? 1 : 0 as Int64, name)
                try AuditLog.append(
                    identity.name, "tenant.approval", name, tenant: name,
                    detail: needsApproval ? "needed" : "not needed", in: transaction)
            }
            guard let tenant = try PublishingTenant.load(name, in: transaction) else {
                return .failure(APIProblem(.unknown, "there is no tenant \(name)"))
            }
            return .success((tenant, isNew))
        }
    }

    public static func isTenantName(_ name: String) -> Bool { PublishingTenant.isName(name) }

    /// - Returns: whether it is new.
    @discardableResult
    public static func createTenant(
        _ name: String, by actor: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let isNew =
            try transaction.execute(
                "insert into tenant values (?, ?, 0, 0, 0, 0) on conflict do nothing", name, try transaction.now()) == 1
        if isNew { try AuditLog.append(actor, "tenant.create", name, tenant: name, in: transaction) }
        return isNew
    }

    func createToken(_ call: APICall) throws(APIProblem) -> (text: String, token: AccessToken) {
        let scopes = call.texts("scopes") ?? []
        let own = Set(call.identity.scopes.map(\.name))
        for scope in scopes where !own.contains(scope) || scope == "admin" && call.identity.tenant != nil {
            throw APIProblem(.forbidden, "this token cannot give the scope \(scope)")
        }
        let days = call.integer("days") ?? AccessToken.daysUsual
        let tenant = try tenant(call.request.parameters[0]).name
        // No longer than the token that makes it.
        let end = call.identity.tenant == nil ? nil : tokens.expiry(of: call.identity)
        let made = try write {
            transaction throws(DatabaseError) -> Result<(text: String, token: AccessToken), APIProblem> in
            let count: Int64 = try transaction.query("select count(*) from token where tenant = ?", tenant)[0][0]
            if count >= AccessToken.tokensOfTenantMax {
                return .failure(APIProblem(.tooLarge, "a tenant has at most \(AccessToken.tokensOfTenantMax) tokens"))
            }
            return .success(
                try AccessToken.create(
                    tenant: tenant, label: call.text("label") ?? "", scopes: scopes,
                    days: days, endingBy: end ?? .max, author: AccessToken.author(call.identity), in: transaction))
        }
        try refresh()
        return made
    }

    func revokeToken(_ call: APICall) throws(APIProblem) {
        let (tenant, id) = (call.request.parameters[0], call.request.parameters[1])
        let isGone = try write { transaction throws(DatabaseError) in
            .success(try AccessToken.revoke(id, of: tenant, by: call.identity.name, in: transaction))
        }
        guard isGone else { throw APIProblem(.unknown, "\(tenant) has no token \(id.prefix(40))") }
        try refresh()
    }
}
