// What connects the delivery monitor with the server: requests over the link, and the settings in the terms of the manager.

import Administration
import Association
import Client
import Delivery
import Posix
import Settings
import SourceJSON
import Supervision
import Telemetry

/// The server as the source of the monitor. Several threads may use it.
struct DeliveryLink: DeliverySource {
    let server: SocketAddress
    /// Of the server, which keeps a journal of changes there.
    let statePath: String

    private static let milliseconds = 10_000

    func documents(after name: String) throws(DeliverySourceFailure) -> ServedVersions {
        let body = try get(name.isEmpty ? "/documents" : "/documents/\(name)") ?? []
        guard let documents = ServedDocuments(json: body) else {
            throw DeliverySourceFailure("it sends no list of its files; is it of an earlier version?")
        }
        let hosts = documents.hosts.map { host in
            let tags: [DeliveryVerifier: String?] = [.apple: host.apple, .google: host.google]
            return (name: host.name, tags: tags.compactMapValues(\.self))
        }
        return (documents.digest, hosts, documents.hasMore)
    }

    func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]? {
        try get("/document/\(verifier.rawValue)/\(host)")
    }

    func recentVersions(of host: String, for verifier: DeliveryVerifier, since seconds: Int64) -> [RecentVersion] {
        let path = verifier == .apple ? AssociationPath.apple : AssociationPath.statements
        let entries = (try? ChangeJournal(folder: statePath).entries()) ?? []
        let first = Log.time(seconds: seconds)
        return entries.filter { $0.host == host && $0.time >= first }.flatMap { entry in
            entry.documents.filter { $0.path == path }.compactMap { document in
                document.after.map { (tag: $0, day: String(entry.time.prefix(10))) }
            }
        }
    }

    func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> (fetches: [ServiceFetch], hasMore: Bool) {
        guard let recent = RecentFetches(json: try get("/fetched/\(seconds)") ?? []) else {
            throw DeliverySourceFailure("it sends no list of fetches; is it of an earlier version?")
        }
        let fetches = recent.fetches.map { fetch in
            ServiceFetch(
                host: fetch.host, verifier: fetch.verifier == .appleCDN ? .apple : .google, tag: fetch.tag,
                seconds: fetch.seconds, isConfirmed: fetch.isConfirmed)
        }
        return (fetches, recent.hasMore)
    }

    /// - Returns: nil if there is no such thing.
    private func get(_ path: String) throws(DeliverySourceFailure) -> [UInt8]? {
        let response: AdminClient.Response
        do throws(AdminClient.Failure) {
            response = try AdminClient.get(
                path, from: server, token: nil, timeoutMilliseconds: DeliveryLink.milliseconds)
        } catch {
            throw DeliverySourceFailure(error.description)
        }
        if response.status == 404 { return nil }
        guard response.status == 200 else { throw DeliverySourceFailure("it answers \(response.status)") }
        return response.body
    }
}

extension DeliveryRules {
    /// Without the webhooks. Nil if a URL is invalid, which the reader of the settings has reported.
    init?(_ settings: DeliverySettings) {
        guard let apple = WebLocation(settings.appleURL), let google = WebLocation(settings.googleURL) else {
            return nil
        }
        self.init(apple: apple, google: google, userAgent: Product.userAgent)
    }

    /// Adds the webhooks whose secrets can be read. The others must not stop the certificates, or the monitor.
    /// - Returns: why some webhooks get no messages.
    mutating func add(_ settings: [DeliverySettings.Webhook]) -> [String] {
        var problems: [String] = []
        for webhook in settings {
            guard let location = WebLocation(webhook.url) else { continue }
            do throws(Refusal) {
                webhooks.append(WebhookTarget(location, secret: try DeliveryRules.secret(webhook.secretFile)))
            } catch {
                problems.append("sending no messages to the webhook at \(location.host): \(error)")
            }
        }
        return problems
    }

    private static func secret(_ file: String) throws(Refusal) -> [UInt8] {
        let secret = Array(try ManagerInputs.firstWord(of: file, setting: "secretFile").utf8)
        guard secret.count >= WebhookTarget.secretBytesMin else {
            throw .failure(
                "its secret in \(file) has fewer than \(WebhookTarget.secretBytesMin) characters; "
                    + "write one made by `openssl rand -hex 32` and restart")
        }
        return secret
    }
}

extension DeliveryMetrics {
    init(_ figures: DeliveryFigures, _ outages: [DeliveryOutage]) {
        self.init(
            services: DeliveryVerifier.allCases.map { verifier in
                let counts = figures.hosts[verifier] ?? [:]
                return Service(
                    name: verifier.rawValue,
                    hosts: DeliveryState.allCases.map { (state: $0.rawValue, count: counts[$0] ?? 0) },
                    failing: figures.failing[verifier] ?? 0, late: figures.late[verifier] ?? 0,
                    isReachable: !outages.contains { $0.verifier == verifier })
            }, waitingMessages: figures.waitingMessages)
    }
}

extension DeliveryTimeline {
    /// The steps of a delivery in one line, and what an operator should know or do.
    /// - Parameter isOutage: whether the service cannot be asked.
    func lines(nowSeconds now: Int64, isOutage: Bool) -> [String] {
        func ago(_ milliseconds: Int64) -> String { "\(Age.text(seconds: now - milliseconds / 1_000)) ago" }
        var steps = ["published \(ago(published))"]
        steps.append(fetched.map { "fetched by \(verifier.name) \(ago($0))" } ?? "not seen to be fetched yet")
        if let equalSince {
            steps.append("at \(verifier.name) since \(ago(equalSince))")
        } else {
            steps.append(equalAt.map { "first at \(verifier.name) \(ago($0))" } ?? "not at \(verifier.name) yet")
        }
        var lines = ["  delivery to \(verifier.name): \(steps.joined(separator: ", "))"]
        let next = due.map { due in
            if isOutage { return "next look when \(verifier.name) can be asked again" }
            let wait = due / 1_000 - now
            if wait > 0 { return "next look in \(Age.text(seconds: wait))" }
            return wait > -60 || due == 0 ? "next look now" : "next look overdue by \(Age.text(seconds: -wait))"
        }
        guard let since, let looked else {
            let reason = detail.isEmpty ? "" : " (\(detail))"
            lines.append((["    not looked at yet\(reason)"] + [next].compactMap(\.self)).joined(separator: ", "))
            return lines
        }
        let text = detail.isEmpty ? "" : ": \(detail)"
        let looks = ["looked at \(ago(looked))", next].compactMap(\.self).joined(separator: ", ")
        lines.append("    \(state.rawValue) for \(Age.text(seconds: now - since / 1_000)), \(looks)\(text)")
        if state != .equal { lines.append("    next: \(state.nextStep)") }
        return lines
    }

    /// The same for programs, with times in milliseconds since 1970.
    var jsonValue: SourceValue {
        func time(_ milliseconds: Int64?) -> SourceValue { milliseconds.map { .integer(Int($0)) } ?? .null }
        return .object([
            ("verifier", .string(verifier.rawValue)), ("state", .string(state.rawValue)), ("since", time(since)),
            ("published", time(published)), ("fetched", time(fetched)), ("equalSince", time(equalSince)),
            ("looked", time(looked)), ("nextLook", time(due)), ("detail", .string(detail)),
            ("next", .string(state.nextStep)),
        ])
    }
}
