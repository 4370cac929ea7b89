// The TXT records that prove control of hosts (dns-01). The record of a host may be an alias (CNAME) of a name in another zone, so
// that one zone, and one key that may change it, serves the hosts of many owners.

import ACME
import DNS
import Posix

/// Writes and removes the TXT records of orders.
struct ChallengeRecords: Sendable {
    private let server: UpdateServer
    private let resolver: ResolverSettings

    /// How often the server is asked for a new record; in between is a second.
    private static let looksMax = 30

    /// Nil if the rules name no server for updates.
    init?(_ rules: IssuanceRules) {
        guard let server = rules.updates else { return nil }
        (self.server, resolver) = (server, rules.resolver)
    }

    /// Finds the zone of a host's record at the server, without changing anything.
    func check(_ host: String) throws(PreflightProblem) {
        let record = try place(OrderAnswer.recordName(of: host))
        _ = try updating(record) { () throws(UpdateFailure) in try server.zone(of: record.target) }
    }

    /// Adds the records, and waits until the server answers with all of them.
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
        }
    }

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
        let outcome: DNSOutcome
        do throws(SystemError) { outcome = try Resolver(resolver).lookUp(.txt, of: name) } catch {
            throw .dns("cannot look up names: \(error.reason)")
        }
        switch outcome {
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
