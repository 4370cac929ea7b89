// What connects the delivery monitor with the server: requests to the server's admin listener, and the settings in the terms of the
// manager.

import Administration
import Client
import Hosting
import Manager
import Posix
import Telemetry

/// The server as the source of the monitor. Several threads may use it.
struct DeliveryLink: DeliverySource {
    let server: AdminSettings

    private static let milliseconds = 10_000

    func documents(after name: String) throws(DeliverySourceFailure) -> ServedVersions {
        let body = try get(name.isEmpty ? "/documents" : "/documents/\(name)") ?? []
        guard let documents = ServedDocuments(json: body) else {
            throw DeliverySourceFailure("it sends no list of its files; is it of an earlier version?")
        }
        let hosts = documents.hosts.map { host in
            var tags: [DeliveryVerifier: String] = [:]
            tags[.apple] = host.apple
            tags[.google] = host.google
            return ServedVersions.Host(name: host.name, tags: tags)
        }
        return ServedVersions(digest: documents.digest, hosts: hosts, hasMore: documents.hasMore)
    }

    func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]? {
        try get("/document/\(verifier.rawValue)/\(host)")
    }

    func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> ServiceFetches {
        guard let recent = RecentFetches(json: try get("/fetched/\(seconds)") ?? []) else {
            throw DeliverySourceFailure("it sends no list of fetches; is it of an earlier version?")
        }
        let fetches = recent.fetches.map { fetch in
            ServiceFetch(
                host: fetch.host, verifier: fetch.verifier == .appleCDN ? .apple : .google, tag: fetch.tag,
                seconds: fetch.seconds, isConfirmed: fetch.isConfirmed)
        }
        return ServiceFetches(fetches, hasMore: recent.hasMore)
    }

    /// - Returns: nil if there is no such thing.
    private func get(_ path: String) throws(DeliverySourceFailure) -> [UInt8]? {
        let response: AdminClient.Response
        do throws(AdminClient.Failure) {
            response = try AdminClient.get(
                path, from: server.address, token: server.token, timeoutMilliseconds: DeliveryLink.milliseconds)
        } catch {
            throw DeliverySourceFailure(error.description)
        }
        if response.status == 404 { return nil }
        guard response.status == 200 else { throw DeliverySourceFailure("it answers \(response.status)") }
        return response.body
    }
}

extension DeliveryRules {
    /// Reads the secrets of the webhooks.
    init(_ settings: DeliverySettings) throws(Refusal) {
        guard let apple = WebLocation(settings.appleURL), let google = WebLocation(settings.googleURL) else {
            throw .failure("`delivery` in server.json has an invalid URL")
        }
        self.init(apple: apple, google: google, userAgent: Product.userAgent)
        for webhook in settings.webhooks {
            guard let location = WebLocation(webhook.url) else {
                throw .failure("`delivery.webhooks` in server.json has an invalid URL")
            }
            webhooks.append(WebhookTarget(location, secret: try DeliveryRules.secret(webhook.secretFile)))
        }
    }

    private static func secret(_ file: String) throws(Refusal) -> [UInt8] {
        let secret = Array(try ManagerInputs.firstWord(of: file, setting: "delivery.webhooks.secretFile").utf8)
        guard secret.count >= WebhookTarget.secretBytesMin else {
            throw .failure(
                "the secret of a webhook in \(file) has fewer than \(WebhookTarget.secretBytesMin) characters; "
                    + "`openssl rand -hex 32` makes one")
        }
        return secret
    }
}

extension DeliveryMetrics {
    init(_ figures: DeliveryFigures, unreachable: Set<DeliveryVerifier>) {
        self.init(
            services: DeliveryVerifier.allCases.map { verifier in
                let counts = figures.hosts[verifier] ?? [:]
                return Service(
                    name: verifier.rawValue,
                    hosts: DeliveryState.allCases.map { (state: $0.rawValue, count: counts[$0] ?? 0) },
                    failing: figures.failing[verifier] ?? 0, late: figures.late[verifier] ?? 0,
                    isReachable: !unreachable.contains(verifier))
            }, waitingMessages: figures.waitingMessages)
    }
}

extension DeliveryTimeline {
    /// The steps of a delivery in one line, and what an operator should know or do.
    func lines(nowSeconds now: Int64) -> [String] {
        func ago(_ milliseconds: Int64) -> String { "\(Age.text(seconds: now - milliseconds / 1_000)) ago" }
        var steps = ["published \(ago(published))"]
        steps.append(fetched.map { "fetched by \(verifier.name) \(ago($0))" } ?? "not seen to be fetched yet")
        if let equalSince {
            steps.append("at \(verifier.name) since \(ago(equalSince))")
        } else {
            steps.append(equalAt.map { "first at \(verifier.name) \(ago($0))" } ?? "not at \(verifier.name) yet")
        }
        var lines = ["  delivery to \(verifier.name): \(steps.joined(separator: ", "))"]
        guard let since, let looked else {
            let reason = detail.isEmpty ? "" : " (\(detail))"
            return lines + ["    not looked at yet\(reason)"]
        }
        let text = detail.isEmpty ? "" : ": \(detail)"
        lines.append(
            "    \(state.rawValue) for \(Age.text(seconds: now - since / 1_000)), looked at \(ago(looked))\(text)")
        if state != .equal { lines.append("    next: \(state.nextStep)") }
        return lines
    }
}
