// Decides whether a host could get a certificate now, without a request to the certificate authority: a failed order
// counts against the authority's rate limits, and its error says less. The order is DNS, CAA, probe: the cheapest facts
// come first, and the first problem ends the preflight. What it cannot find out is a problem too.
//
// It is pure except for two functions of the caller, one for lookups and one for requests.

public import DNS
public import Posix

/// The checks of one host before an order.
struct Preflight {
    private let host: DomainName
    private let rules: PreflightRules
    private let lookUp: (DNSRecordType, DomainName) -> DNSOutcome
    private let probe: (RemoteAddress) -> String?
    private var report = PreflightReport()

    /// Each address costs a request, and the owner of the domain chooses how many there are.
    static let addressesMax = 32
    /// Of the records found.
    static let linesMax = 64

    /// - Parameter probe: requests a challenge of the host at one address, and says why the answer is not that of this server, such as
    ///   `connection refused`; nil if it is.
    static func check(
        _ host: DomainName, _ rules: PreflightRules, lookUp: @escaping (DNSRecordType, DomainName) -> DNSOutcome,
        probe: @escaping (RemoteAddress) -> String?
    ) -> PreflightReport {
        var preflight = Preflight(host: host, rules: rules, lookUp: lookUp, probe: probe)
        preflight.run()
        return preflight.report
    }

    private mutating func run() {
        do throws(PreflightProblem) {
            if host.isWildcard, rules.method != "dns-01" {
                throw .dns("\(host) is a wildcard, which authorities validate by dns-01 only; configure acme.rfc2136")
            }
            // With dns-01 the authority does not connect to the host.
            let addresses = try rules.method == "dns-01" ? [] : checkAddresses()
            try checkAuthorizations()
            if rules.isProbing { try checkAnswers(at: addresses) }
        } catch {
            report.problem = error
        }
        let left = report.found.count - Preflight.linesMax
        if left > 0 { report.found = Array(report.found.prefix(Preflight.linesMax)) + ["and \(left) more"] }
    }

    /// The addresses of the host; all of them lead here, as far as that is known.
    private mutating func checkAddresses() throws(PreflightProblem) -> [RemoteAddress] {
        let names = rules.expectedNames.filter { $0 != host }.map { "\(host). CNAME \($0)." }
        let wanted =
            names + rules.expectedAddresses.map { "\(host). \($0.family == .ipv6 ? "AAAA" : "A") \($0)" }
        let records = AddressRecords(of: host, through: rules.expectedNames, lookUp)
        report.wanted = wanted
        report.found = records.lines
        if let failure = records.failure { throw .dns("\(failure); no certificate is ordered until that works") }
        let count = records.addresses.count
        if count == 0 {
            let subject = records.target == host ? "\(host)" : "\(host) is an alias of \(records.target), which"
            let advice = wanted.first ?? "one with the public address of this server"
            throw .dns("\(subject) has no A or AAAA record yet; create \(advice)")
        }
        if count > Preflight.addressesMax {
            throw .dns("\(host) has \(count) addresses; at most \(Preflight.addressesMax) are checked; remove some")
        }
        let foreign = try foreignAddresses(records)
        if !foreign.isEmpty { throw .dns(problem(of: foreign, among: count, wanted)) }
        return records.addresses
    }

    private func problem(of foreign: [RemoteAddress], among count: Int, _ wanted: [String]) -> String {
        let isMixed = foreign.count < count
        let (verb, object) = (isMixed ? "also has" : "has", foreign.count == 1 ? "it" : "them")
        let subject = foreign.count == 1 ? "address \(foreign[0]), which is" : "addresses \(list(foreign)), which are"
        let advice = isMixed ? "remove \(object)" : "replace \(object)" + (wanted.first.map { " with \($0)" } ?? "")
        return "\(host) \(verb) the \(subject) not this server's; the authority may connect there; \(advice)"
    }

    /// The addresses that are not this server's. None if it is not known which are.
    private func foreignAddresses(_ records: AddressRecords) throws(PreflightProblem) -> [RemoteAddress] {
        if rules.expectedAddresses.isEmpty && rules.expectedNames.isEmpty { return [] }
        var ours = withoutPorts(rules.expectedAddresses)
        var foreign = records.unproven.filter { !ours.contains($0) }
        var failure: DNSFailure?
        for name in rules.expectedNames where !foreign.isEmpty {
            let known = AddressRecords(of: name, lookUp)
            ours.formUnion(known.addresses)
            failure = failure ?? known.failure
            foreign = foreign.filter { !ours.contains($0) }
        }
        if let failure, !foreign.isEmpty {
            throw .dns("\(failure); so it is unknown whether \(list(foreign)) is an address of this server")
        }
        return foreign
    }

    private mutating func checkAuthorizations() throws(PreflightProblem) {
        switch CAASearch.climb(from: host, lookUp: { lookUp(.caa, $0) }) {
        case .none: return
        case .failed(let failure, at: _): throw .caa("\(failure); no authority issues a certificate until that works")
        case .found(let records, at: let name):
            report.found += records.map { "\(name). CAA \($0.zoneText)" }
            switch CAAVerdict.judge(records, of: host, at: name, rules) {
            case .allowed:
                if rules.caaIdentities.isEmpty {
                    report.notes.append(
                        "the authority does not say how CAA records name it, so whether these allow it is not known")
                }
                return
            case .forbidden(let reason, let wanted):
                if let wanted { report.wanted.append(wanted) }
                throw .caa(reason)
            }
        }
    }

    /// Authorities choose one address, usually IPv6, so all must answer.
    private func checkAnswers(at addresses: [RemoteAddress]) throws(PreflightProblem) {
        let ours = withoutPorts(rules.expectedAddresses + rules.localAddresses)
        let closed = addresses.filter { !$0.isPublic && !ours.contains($0) }
        if !closed.isEmpty {
            let isOne = closed.count == 1
            throw .dns(
                "\(host) has the \(isOne ? "address" : "addresses") \(list(closed)), which \(isOne ? "is" : "are") not public, "
                    + "so no challenge is requested there; remove \(isOne ? "it" : "them"), or name this server's addresses in "
                    + "acme.leadsTo.addresses")
        }
        var silent: [RemoteAddress] = []
        var firstReason = ""
        for address in addresses {
            guard let reason = probe(address) else { continue }
            if silent.isEmpty { firstReason = reason }
            silent.append(address)
        }
        if silent.isEmpty { return }
        let advice =
            silent.count < addresses.count
            ? "the authority may connect there; fix that, or remove the record"
            : "make port 80 there lead to this server"
        throw .dns("\(host) does not answer a challenge at \(list(silent)): \(firstReason); \(advice)")
    }

    private func withoutPorts(_ addresses: [RemoteAddress]) -> Set<RemoteAddress> {
        Set(addresses.map { RemoteAddress(family: $0.family, high: $0.high, low: $0.low, port: 0) })
    }

    /// At most four of them.
    private func list(_ addresses: [RemoteAddress]) -> String {
        let shown = addresses.prefix(4).map(\.description).joined(separator: ", ")
        return addresses.count > 4 ? "\(shown) and \(addresses.count - 4) more" : shown
    }
}

/// The A and AAAA records of a name.
private struct AddressRecords {
    var addresses: [RemoteAddress] = []
    /// The addresses that were not found through an alias that is a name of this server.
    var unproven: [RemoteAddress] = []
    /// The name itself, or the last of its aliases.
    var target: DomainName
    /// Of one or both lookups.
    var failure: DNSFailure?
    /// The records, including aliases, for people.
    var lines: [String] = []

    init(
        of name: DomainName, through serverNames: [DomainName] = [],
        _ lookUp: (DNSRecordType, DomainName) -> DNSOutcome
    ) {
        target = name
        for type in [DNSRecordType.a, .aaaa] {
            switch lookUp(type, name) {
            case .found(let records, let aliases):
                follow(aliases, from: name)
                // Of this type only: a name server can answer with an alias for one type and not for the other.
                let isProven = !Set(aliases).isDisjoint(with: serverNames)
                for case .address(let address) in records where !addresses.contains(address) {
                    addresses.append(address)
                    lines.append("\(target). \(type) \(address)")
                    if !isProven { unproven.append(address) }
                }
            case .noData(let aliases), .noSuchName(let aliases): follow(aliases, from: name)
            case .failed(let failure): self.failure = self.failure ?? failure
            }
        }
    }

    private mutating func follow(_ aliases: [DomainName], from name: DomainName) {
        target = name
        for alias in aliases {
            let line = "\(target). CNAME \(alias)."
            if !lines.contains(line) { lines.append(line) }
            target = alias
        }
    }
}

/// What is known about a host before an order.
public struct PreflightReport: Hashable, Sendable {
    /// The DNS records to create, such as `shop.example.com. A 192.0.2.1`. Each CNAME record is enough alone, and so
    /// are all addresses together.
    public internal(set) var wanted: [String] = []
    public internal(set) var found: [String] = []
    /// What the authority does not offer, although the settings ask for it.
    public internal(set) var notes: [String] = []
    /// Why the authority takes no orders of this server now, whatever the host: it does not answer, or refuses the account.
    public internal(set) var authorityProblem: String?
    /// Nil if the host can get a certificate.
    public internal(set) var problem: PreflightProblem?
    /// Whether no name server has answered; nil if none was asked.
    var areNameServersSilent: Bool?
}

/// Why a host cannot get a certificate now: what is wrong, and what to do.
public enum PreflightProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host does not lead to this server, or only in part.
    case dns(String)
    /// The CAA records do not allow a certificate, or are unknown.
    case caa(String)

    public var description: String {
        switch self {
        case .dns(let text), .caa(let text): text
        }
    }
}

/// The conditions for an order of a certificate.
public struct PreflightRules: Sendable {
    /// The public addresses of this server (`acme.leadsTo`); their ports are ignored.
    public var expectedAddresses: [RemoteAddress] = []
    /// The addresses that this machine listens on. Together with the expected ones, they are the only addresses that are requested
    /// although they are not public: otherwise the owner of a domain could have this server connect to any place in its network.
    public var localAddresses: [RemoteAddress] = []
    /// The names of this server (`acme.leadsTo`). Without names and addresses, only the probe decides.
    public var expectedNames: [DomainName] = []
    /// The names of the authority in CAA records. Empty if the authority does not publish them.
    public var caaIdentities: [String] = []
    /// Nil before an account is registered.
    public var accountURL: String?
    /// The validation method: `http-01`, or `dns-01`, which wildcards need.
    public var method = "http-01"
    /// Whether to request a challenge at each address.
    public var isProbing = true
}
