// What each route does.

import Association
import Database
import HTTP
import Service
import SourceJSON

extension PublishingAPI {
    static let all: [APIRoute] = tenants + apps + releases + hosts + tokens + others

    private static let proposal = [
        APIMember("base", .place, isRequired: true, "The number of the live release; 0 if there is none."),
        APIMember("changes", .changes, isRequired: true, "The new text of each file that changes; null removes it."),
        APIMember("message", .text(max: 4_000), "What the change is for."),
        APIMember("source", .text(max: 1_000), "Where it comes from, such as a commit."),
        APIMember("publishAt", .time, "When it goes live."),
        APIMember("retire", .bool, "Whether what it takes away is meant to go. Needs the scope `retire`."),
    ]

    /// Why a release is not stored.
    private static let refusals: [APIProblem.Kind] = [.base, .state, .findings, .unclaimed, .removalGuard, .tooLarge]

    private static func proposal(_ call: APICall) throws(APIProblem) -> Publisher.Proposal {
        var proposal = Publisher.Proposal(tenant: call.request.parameters[0])
        (proposal.base, proposal.changes) = (call.integer("base"), try call.changes("changes"))
        (proposal.message, proposal.source) = (call.text("message") ?? "", call.text("source") ?? "")
        proposal.publishAt = call.time("publishAt")
        proposal.retires = try retires(call)
        return proposal
    }

    private static let restored = proposal.filter { !["base", "changes", "publishAt"].contains($0.name) }

    /// The files of an earlier release again.
    private static func restoring(_ publisher: Publisher, _ call: APICall) throws(APIProblem) -> Publisher.Proposal {
        var proposal = Publisher.Proposal(tenant: call.request.parameters[0])
        let number = call.number(1)
        if try publisher.release(proposal.tenant, number).liveAt == nil {
            throw APIProblem(.state, "release \(number) was never live")
        }
        (proposal.restores, proposal.retires) = (number, try retires(call))
        (proposal.message, proposal.source) = (
            call.text("message") ?? "", call.text("source") ?? "rollback to \(number)"
        )
        return proposal
    }

    private static let check = APIRoute.Answer.members("changed: boolean, findings: array, difference: object?")

    private static func checked(
        _ proposal: Publisher.Proposal, _ publisher: Publisher
    ) throws(APIProblem) -> ServiceResponse {
        let draft = try publisher.draft(proposal)
        if let objection = try publisher.objection(to: draft) { throw objection }
        return json(.ok, .object([("changed", .bool(draft.isChange))] + draft.report.members))
    }

    private static func retires(_ call: APICall) throws(APIProblem) -> Bool {
        if !call.bool("retire") { return false }
        if call.identity.scopes.contains(Scope("retire")) { return true }
        throw APIProblem(.forbidden, "`retire` needs the scope retire")
    }

    private static func answer(_ release: Release, _ publisher: Publisher, _ status: Status = .ok) throws(APIProblem)
        -> ServiceResponse
    {
        let (files, outcomes, apple) = try publisher.read { transaction throws(DatabaseError) in
            (
                try Release.files(of: release.tenant, release.number, in: transaction),
                try Outcome.all(of: release, in: transaction),
                try release.appleCopies(publisher.appleCopy, in: transaction)
            )
        }
        var response = json(status, release.value(files, outcomes, apple: apple))
        if status == .created {
            response.fields.add("location", "\(base)/tenants/\(release.tenant)/releases/\(release.number)")
        }
        return response
    }

    private static let tenants = [
        APIRoute(
            method: .get, pattern: "/tenants", scope: "read", rows: .own, summary: "The tenants",
            query: [APIMember("after", .name(.tenant), "The name after which to continue.")],
            answer: .page(PublishingTenant.members)
        ) { publisher, call throws(APIProblem) in
            let found = try publisher.read { transaction throws(DatabaseError) in
                if let own = call.identity.tenant {
                    return try PublishingTenant.load(own, in: transaction).map { [$0] } ?? []
                }
                return try PublishingTenant.page(after: call.text("after") ?? "", in: transaction)
            }
            return page(found.map(\.value), next: found.count < PublishingTenant.pageMax ? nil : found.last?.name)
        },
        APIRoute(
            method: .get, pattern: "/tenants/TENANT", scope: "read", summary: "A tenant",
            answer: .members(PublishingTenant.members)
        ) { publisher, call throws(APIProblem) in json(.ok, try publisher.tenant(call.request.parameters[0]).value) },
        APIRoute(
            method: .put, pattern: "/tenants/TENANT", scope: "admin",
            summary: "Create a tenant, or change its settings",
            body: [APIMember("approval", .bool, "Whether each release waits for the approval of another token.")],
            bodyBytesMax: 4_096, statuses: [.ok, .created], answer: .members(PublishingTenant.members)
        ) { publisher, call throws(APIProblem) in
            let (tenant, isNew) = try publisher.putTenant(
                call.request.parameters[0], needsApproval: call.flag("approval"), by: call.identity)
            return json(isNew ? .created : .ok, tenant.value)
        },
    ]

    private static let apps = [
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/apps", scope: "read", summary: "The live app files",
            answer: .members("release: integer, items: array")
        ) { publisher, call throws(APIProblem) in
            let tenant = try publisher.tenant(call.request.parameters[0])
            let files = try publisher.read { transaction throws(DatabaseError) in
                try Release.files(of: tenant.name, tenant.live, in: transaction)
            }
            return json(
                .ok,
                .object([("release", .integer(Int(tenant.live))), ("items", .array(files.map(Release.fileValue)))]))
        },
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/apps/NAME", scope: "read", summary: "The text of a live app file",
            answer: .text
        ) { publisher, call throws(APIProblem) in
            let tenant = try publisher.tenant(call.request.parameters[0])
            return text(try publisher.file(call.request.parameters[1], of: tenant.name, tenant.live))
        },
        APIRoute(
            method: .put, pattern: "/tenants/TENANT/apps/NAME", scope: "publish",
            summary: "Publish a release that changes one file; needs If-Match, or If-None-Match: * for a new one",
            bodyBytesMax: ReleaseContent.fileBytesMax + 1_024, fields: preconditions, statuses: [.created],
            problems: refusals + [.changed, .precondition], answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            let name = call.request.parameters[1]
            let file = try APICall.file(call.request.body, name)
            return try change(name, to: file, publisher, call)
        },
        APIRoute(
            method: .delete, pattern: "/tenants/TENANT/apps/NAME", scope: "publish",
            summary: "Publish a release without a file; needs If-Match", fields: preconditions, statuses: [.created],
            problems: refusals + [.changed, .precondition], answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try change(call.request.parameters[1], to: nil, publisher, call)
        },
    ]

    private static func text(_ bytes: [UInt8]) -> ServiceResponse {
        var response = ServiceResponse(.ok, ServiceResponse.plainText, bytes)
        response.fields.add("etag", "\"\(ReleaseContent.digest(bytes))\"")
        return response
    }

    private static let preconditions = [
        APIMember("If-Match", .text(max: 1_000), "The ETag of the file."),
        APIMember("If-None-Match", .choice(["*"]), "For a file that is new."),
    ]

    private static func change(
        _ name: String, to file: [UInt8]?, _ publisher: Publisher, _ call: APICall
    ) throws(APIProblem) -> ServiceResponse {
        let tenant = try publisher.tenant(call.request.parameters[0])
        let files = try publisher.read { transaction throws(DatabaseError) in
            try Release.files(of: tenant.name, tenant.live, in: transaction)
        }
        let present = files.first { $0.name == name }.map { "\"\($0.digest)\"" }
        switch (call.request.field("if-match"), call.request.field("if-none-match")) {
        case (.once(let tag), .absent): if tag != present { throw APIProblem(.changed, "\(name) is not at this ETag") }
        case (.absent, .once("*")): if present != nil { throw APIProblem(.changed, "\(name) exists") }
        default:
            throw APIProblem(
                .precondition, "send If-Match with the ETag of the file, or If-None-Match: * for a new one")
        }
        var proposal = Publisher.Proposal(tenant: tenant.name, base: tenant.live)
        (proposal.changes[name], proposal.source) = (.some(file), "apps/\(name)")
        return try answer(try publisher.publish(proposal, by: call.identity), publisher, .created)
    }

    private static let releases = [
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/releases", scope: "read", summary: "The releases, newest first",
            query: [APIMember("before", .number, "The number before which to continue.")],
            answer: .page(Release.members)
        ) { publisher, call throws(APIProblem) in
            let tenant = try publisher.tenant(call.request.parameters[0])
            let found = try publisher.read { transaction throws(DatabaseError) in
                try Release.page(
                    of: tenant.name, before: call.integer("before") ?? .max, count: PublishingTenant.pageMax,
                    in: transaction)
            }
            let next = found.count < PublishingTenant.pageMax ? nil : found.last.map { "\($0.number)" }
            return page(found.map { $0.value([], []) }, next: next)
        },
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/releases/NUMBER", scope: "read", summary: "A release",
            answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(try publisher.release(call.request.parameters[0], call.number(1)), publisher)
        },
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/releases/NUMBER/apps/NAME", scope: "read",
            summary: "The text of an app file of a release", answer: .text
        ) { publisher, call throws(APIProblem) in
            text(try publisher.file(call.request.parameters[2], of: call.request.parameters[0], call.number(1)))
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases", scope: "publish", summary: "Publish a release",
            body: proposal, bodyBytesMax: bodyBytesMax, statuses: [.created], problems: refusals,
            answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(try publisher.publish(try proposal(call), by: call.identity), publisher, .created)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases:check", scope: "check",
            summary: "What publishing a release would do, without doing it", body: proposal, bodyBytesMax: bodyBytesMax,
            problems: refusals, answer: check
        ) { publisher, call throws(APIProblem) in
            try checked(try proposal(call), publisher)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases/NUMBER:check", scope: "check",
            summary: "What publishing the files of a release again would do, without doing it",
            body: restored, bodyBytesMax: 1 << 16, problems: refusals, answer: check
        ) { publisher, call throws(APIProblem) in
            try checked(try restoring(publisher, call), publisher)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases/NUMBER:approve", scope: "approve",
            summary: "Approve a release of another", problems: refusals, answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(
                try publisher.move(
                    call.number(1), of: call.request.parameters[0], .approved, by: call.identity.name),
                publisher)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases/NUMBER:reject", scope: "approve",
            summary: "Refuse a release that waits",
            body: [APIMember("reason", .text(max: 1_000), "Why, for its author.")],
            bodyBytesMax: 1 << 14, problems: [.state], answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(
                try publisher.move(
                    call.number(1), of: call.request.parameters[0], .refused,
                    reason: call.text("reason") ?? "", by: call.identity.name), publisher)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases/NUMBER:withdraw", scope: "publish",
            summary: "Take back a release that waits", problems: [.state], answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(
                try publisher.move(
                    call.number(1), of: call.request.parameters[0], .refused, reason: "withdrawn",
                    by: call.identity.name), publisher)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/releases/NUMBER:rollback", scope: "publish",
            summary: "Publish the files of an earlier release again",
            body: restored, bodyBytesMax: 1 << 16, statuses: [.created], problems: refusals,
            answer: .members(Release.members)
        ) { publisher, call throws(APIProblem) in
            try answer(
                try publisher.publish(try restoring(publisher, call), by: call.identity), publisher, .created)
        },
    ]

    private static let hosts = [
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/hosts", scope: "read", summary: "The claims of a tenant",
            query: [APIMember("after", .host, "The host after which to continue.")],
            answer: .page(HostOwnership.members)
        ) { publisher, call throws(APIProblem) in
            let tenant = try publisher.tenant(call.request.parameters[0])
            let found = try publisher.read { transaction throws(DatabaseError) in
                try HostOwnership.page(of: tenant.name, after: call.text("after") ?? "", in: transaction)
            }
            return page(found.map(\.value), next: found.count < 100 ? nil : found.last?.host)
        },
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/hosts/HOST", scope: "read", summary: "A claim",
            answer: .members(HostOwnership.members)
        ) { publisher, call throws(APIProblem) in
            let (tenant, host) = (call.request.parameters[0], hostName(call))
            let found = try publisher.read { transaction throws(DatabaseError) in
                try HostOwnership.load(host, of: tenant, in: transaction)
            }
            guard let found else { throw APIProblem(.unknown, "\(tenant) does not claim \(host)") }
            return json(.ok, found.value)
        },
        APIRoute(
            method: .put, pattern: "/tenants/TENANT/hosts/HOST", scope: "hosts", summary: "Claim a host",
            body: [
                APIMember(
                    "proof", .choice(HostOwnership.Proof.allCases.map(\.rawValue)), "`operator` needs the scope admin.")
            ], bodyBytesMax: 4_096, problems: [.claimed, .tooLarge], answer: .members(HostOwnership.members)
        ) { publisher, call throws(APIProblem) in
            let proof = call.text("proof").flatMap(HostOwnership.Proof.init) ?? .dns
            if proof == .operator, !(call.identity.scopes.contains(Scope("admin")) && call.identity.tenant == nil) {
                throw APIProblem(.forbidden, "the proof \"operator\" needs the scope admin for all tenants")
            }
            return json(
                .ok,
                try publisher.claim(hostName(call), for: call.request.parameters[0], proof, by: call.identity).value)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/hosts/HOST:check", scope: "hosts",
            summary: "Look for the record of a claim now", problems: [.claimed], answer: .members(HostOwnership.members)
        ) { publisher, call throws(APIProblem) in
            json(
                .ok,
                try publisher.check(hostName(call), of: call.request.parameters[0], by: call.identity.name).value)
        },
        APIRoute(
            method: .delete, pattern: "/tenants/TENANT/hosts/HOST", scope: "hosts", summary: "Give up a host",
            statuses: [.noContent], problems: [.state], answer: .nothing
        ) { publisher, call throws(APIProblem) in
            try publisher.giveUp(hostName(call), of: call.request.parameters[0], by: call.identity)
            return ServiceResponse(.noContent, lines: [])
        },
    ]

    private static func hostName(_ call: APICall) -> String {
        let written = call.request.parameters[1]
        return (try? HostPattern.parse(written).get().text) ?? written
    }

    private static let tokens = [
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/tokens", scope: "tokens", summary: "The tokens of a tenant",
            answer: .page(AccessToken.members)
        ) { publisher, call throws(APIProblem) in
            let found = try publisher.read { transaction throws(DatabaseError) in
                try AccessToken.all(of: call.request.parameters[0], in: transaction)
            }
            return page(found.map(\.value), next: nil)
        },
        APIRoute(
            method: .post, pattern: "/tenants/TENANT/tokens", scope: "tokens",
            summary: "Create a token with scopes of one's own; the answer has it once",
            body: [
                APIMember("scopes", .choices(Scope.published), isRequired: true, "What it may do."),
                APIMember("label", .text(max: 200), "What it is for."),
                APIMember(
                    "days", .integer(1...Int(AccessToken.daysMax)),
                    "How long it is valid: \(AccessToken.daysUsual) by default."),
            ], bodyBytesMax: 8_192, statuses: [.created], problems: [.tooLarge],
            answer: .members("token: text, \(AccessToken.members)")
        ) { publisher, call throws(APIProblem) in
            let (text, token) = try publisher.createToken(call)
            guard case .object(let members) = token.value.kind else { return json(.created, token.value) }
            return json(.created, .object([("token", .string(text))] + members.map { ($0.key, $0.value) }))
        },
        APIRoute(
            method: .delete, pattern: "/tenants/TENANT/tokens/ID", scope: "tokens", summary: "Revoke a token",
            statuses: [.noContent], answer: .nothing
        ) { publisher, call throws(APIProblem) in
            try publisher.revokeToken(call)
            return ServiceResponse(.noContent, lines: [])
        },
    ]

    private static let others = [
        APIRoute(
            method: .get, pattern: "/tenants/TENANT/match", scope: "read",
            summary: "Which app of the live release opens a URL, and by which rule",
            query: [APIMember("url", .link, isRequired: true, "A link.")], problems: [.tooLarge]
        ) { publisher, call throws(APIProblem) in
            let text = call.text("url") ?? ""
            guard let url = LinkURL(text) else { throw APIProblem(.invalid, "url must be \(APIKind.link.inWords)") }
            var answer: [UInt8] = []
            try publisher.matching(for: url, of: call.request.parameters[0])
                .appendJSON(of: url, written: text, to: &answer)
            return ServiceResponse(.ok, ServiceResponse.json, answer)
        },
        APIRoute(
            method: .get, pattern: "/audit", scope: "read", rows: .own,
            summary: "The audit log, oldest first, or with `before` newest first",
            query: [
                APIMember("after", .place, "The entry after which to continue."),
                APIMember("before", .place, "The entry before which to continue."),
            ],
            answer: .page(AuditEntry.members)
        ) { publisher, call throws(APIProblem) in
            let (after, tenant) = (call.integer("after") ?? 0, call.identity.tenant)
            let found = try publisher.read { transaction throws(DatabaseError) in
                if let before = call.integer("before") {
                    return try AuditLog.page(before: before, after: after, tenant: tenant, in: transaction)
                }
                return try AuditLog.page(after: after, tenant: tenant, in: transaction)
            }
            return page(found.map(\.value), next: found.count < AuditLog.pageMax ? nil : found.last.map { "\($0.seq)" })
        },
    ]
}

extension Release {
    private static let missingMax = 100

    /// How many of the hosts whose file it has changed Apple has, and which not; null if that is not watched, or it is not live.
    func appleCopies(
        _ appleCopy: Publisher.AppleCopy?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> SourceValue {
        let stored = SourceReader.read(Array(report.utf8), as: .json).value
        guard let appleCopy, state == .live, let liveAt,
            let hosts = stored?.member(named: "appleHosts")?.asArray
        else { return .null }
        var (equal, missing) = (0, [SourceValue]())
        for host in hosts.compactMap(\.asString) {
            guard let (state, detail) = try appleCopy(host, liveAt, transaction) else { continue }
            if state == "equal" {
                equal += 1
            } else if missing.count < Self.missingMax {
                missing.append(
                    .object([("host", .string(host)), ("state", .string(state)), ("detail", .string(detail))]))
            }
        }
        return .object([("equal", .integer(equal)), ("missing", .array(missing))])
    }

    static func fileValue(_ file: (name: String, digest: String)) -> SourceValue {
        .object([("name", .string(file.name)), ("digest", .string(file.digest))])
    }

    static let members = """
        tenant: text, number: integer, base: integer, state: text, message: text, source: text, author: text, \
        retires: boolean, created: time, publishAt: time?, approver: text?, liveSince: time?, ended: time?, reason: text?, \
        files: array, outcomes: array, apple: object?, findings: array?, difference: object?
        """

    /// - Parameters:
    ///   - files: none in lists.
    ///   - outcomes: of the nodes, while it is live.
    func value(
        _ files: [(name: String, digest: String)], _ outcomes: [Outcome], apple: SourceValue = .null
    ) -> SourceValue {
        let stored = SourceReader.read(Array(report.utf8), as: .json).value
        func time(_ milliseconds: Int64?) -> SourceValue { milliseconds.map { APITime.value($0) } ?? .null }
        func text(_ text: String?) -> SourceValue { text.map { .string($0) } ?? .null }
        let members: [(String, SourceValue)] = [
            ("tenant", text(tenant)), ("number", .integer(Int(number))), ("base", .integer(Int(base))),
            ("state", text(state.rawValue)), ("message", text(message)), ("source", text(source)),
            ("author", text(author)), ("retires", .bool(retires)), ("created", time(created)),
            ("publishAt", time(publishAt)), ("approver", text(approver)), ("liveSince", time(liveAt)),
            ("ended", time(endedAt)), ("reason", text(reason)),
        ]
        let more: [(String, SourceValue)] = [
            ("files", .array(files.map(Release.fileValue))), ("outcomes", .array(outcomes.map(\.value))),
            ("apple", apple),
            ("findings", stored?.member(named: "findings") ?? .null),
            ("difference", stored?.member(named: "difference") ?? .null),
        ]
        return .object(members + more)
    }
}

extension PublishingTenant {
    static let members = "name: text, approval: boolean, live: integer, created: time"

    var value: SourceValue {
        .object([
            ("name", .string(name)), ("approval", .bool(needsApproval)), ("live", .integer(Int(live))),
            ("created", APITime.value(created)),
        ])
    }
}
