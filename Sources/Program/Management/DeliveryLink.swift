// What connects the delivery monitor with the server: requests over the link, and the settings in the terms of the manager.

import Administration
import Association
import Client
import Delivery
import HTTP
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
        let first = HTTPDate.timestamp(seconds)
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
    /// Without a queue for messages. Nil if a URL is invalid, which the reader of the settings has reported.
    init?(_ settings: DeliverySettings) {
        guard let apple = WebLocation(settings.appleURL), let google = WebLocation(settings.googleURL) else {
            return nil
        }
        self.init(apple: apple, google: google, userAgent: Product.userAgent)
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
