// The TXT records that prove control of hosts (dns-01). The record of a host may be an alias (CNAME) of a name in another zone, so
// that one zone, and one key that may change it, serves the hosts of many owners.

import ACME
import DNS
import Posix

/// Writes and removes the TXT records of orders.
struct ChallengeRecords: Sendable {
    private let server: UpdateServer
    private let resolver: Resolver
    /// Of the zone's name servers.
    private let port: UInt16

    /// How often each server is asked for a new record; in between is a second.
    private static let looksMax = 30

    /// Nil if the rules name no server for updates.
    init?(_ rules: IssuanceRules) {
        guard let server = rules.updates else { return nil }
        (self.server, resolver, port) = (server, rules.resolver, rules.nameServerPort)
    }

    /// Finds the zone of a host's record at the server, without changing anything.
    func check(_ host: String) throws(PreflightProblem) {
        let record = try place(OrderAnswer.recordName(of: host))
        _ = try updating(record) { () throws(UpdateFailure) in try server.zone(of: record.target) }
    }

    /// Adds the records, and waits until all name servers of their zones answer with them: the authority asks any of them.
    /// - Parameter rest: waits for a second.
    func publish(_ answers: [OrderAnswer], rest: () -> Void) throws(PreflightProblem) {
        var records: [(place: Place, text: [UInt8])] = []
        for answer in answers {
            let place = try place(answer.recordName)
            let text = Array(answer.recordValue.utf8)
            try updating(place) { () throws(UpdateFailure) in try server.add(text, to: place.target) }
            records.append((place, text))
        }
        for (place, text) in records {
            var isShown = false
            for look in 1...ChallengeRecords.looksMax where !isShown {
                if look > 1 { rest() }
                isShown = try updating(place) { () throws(UpdateFailure) in try server.shows(text, at: place.target) }
            }
            guard isShown else {
                throw .dns(
                    "name server \(server.address) took the TXT record of \(place.target), but does not answer with it; "
                        + "name the zone's primary server")
            }
            try awaitSecondaries(text, at: place, rest)
        }
    }

    /// Waits for the name servers of the zone. One that does not answer at all, such as one with IPv6 only, cannot be asked from here.
    private func awaitSecondaries(_ text: [UInt8], at place: Place, _ rest: () -> Void) throws(PreflightProblem) {
        let zone = try updating(place) { () throws(UpdateFailure) in try server.zone(of: place.target) }
        var left = nameServers(of: zone).filter { $0 != server.address }
        for look in 1...ChallengeRecords.looksMax where !left.isEmpty {
            if look > 1 { rest() }
            var late: [SocketAddress] = []
            for address in left where isLate(address, text, place.target) { late.append(address) }
            left = late
        }
        guard let late = left.first else { return }
        throw .dns(
            "name server \(late) of \(zone) does not answer with the TXT record of \(place.target), which \(server.address) has; "
                + "check that it gets the zone's changes at once (NOTIFY)")
    }

    private func isLate(_ address: SocketAddress, _ text: [UInt8], _ name: DomainName) -> Bool {
        var resolver = Resolver()
        (resolver.servers, resolver.attempts, resolver.attemptMilliseconds) = ([address], 1, 2_000)
        return switch resolver.lookUp(.txt, of: name) {
        case .found(let records, _): !records.contains(.text(text))
        case .noData, .noSuchName: true
        case .failed: false
        }
    }

    private func nameServers(of zone: DomainName) -> [SocketAddress] {
        guard case .found(let records, _) = resolver.lookUp(.ns, of: zone) else { return [] }
        var addresses: [SocketAddress] = []
        for case .nameServer(let name) in records.prefix(ChallengeRecords.serversMax) {
            for type in [DNSRecordType.a, .aaaa] {
                guard case .found(let records, _) = resolver.lookUp(type, of: name) else { continue }
                for case .address(let address) in records {
                    if let address = SocketAddress(ip: "\(address)", port: port) { addresses.append(address) }
                }
            }
        }
        return addresses
    }

    /// The owner of the domain chooses how many there are.
    private static let serversMax = 16

    /// Removes a record; those of other orders at the same name stay.
    /// - Returns: why that was not possible.
    func withdraw(_ answer: OrderAnswer) -> String? {
        do throws(PreflightProblem) {
            let place = try place(answer.recordName)
            let text = Array(answer.recordValue.utf8)
            try updating(place) { () throws(UpdateFailure) in try server.remove(text, from: place.target) }
            return nil
        } catch {
            return error.description
        }
    }

    /// Where a record is written.
    private struct Place {
        var name: DomainName
        /// The name itself, or the last of its aliases.
        var target: DomainName
    }

    private func place(_ text: String) throws(PreflightProblem) -> Place {
        guard let name = DomainName(text) else { throw .dns("\(text) is too long for a name in DNS") }
        switch resolver.lookUp(.txt, of: name) {
        case .found(_, let aliases), .noData(let aliases), .noSuchName(let aliases):
            return Place(name: name, target: aliases.last ?? name)
        case .failed(let failure): throw .dns(failure.description)
        }
    }

    private func updating<Result>(
        _ place: Place, _ body: () throws(UpdateFailure) -> Result
    ) throws(PreflightProblem) -> Result {
        do throws(UpdateFailure) { return try body() } catch {
            let isAlias = place.name != place.target
            throw .dns(isAlias ? "\(place.name) is an alias of \(place.target): \(error)" : error.description)
        }
    }
}
