// How the certificate of a folder stands, as small values: what is left of a certificate that was read when it is not in memory.

/// What can be said of the certificate of a served host.
public enum CertificateState: String, Hashable, Sendable, CaseIterable {
    case usable
    /// The files are broken or gone, and an earlier state of them is in service.
    case lastGood = "last_good"
    /// Handshakes fail, or every client refuses what it is shown.
    case broken
    /// No certificate is for the host.
    case missing
}

/// What is remembered of a certificate in service.
public struct CertificateSummary: Hashable, Sendable {
    public internal(set) var issuer: String
    public let serial: [UInt8]
    /// The period of the host's own certificate, and those of the other ones that clients are shown.
    let own: CertificatePeriod
    var others: [CertificatePeriod]
    /// Tells one certificate from another.
    let fingerprint: Int

    init(_ identity: ServerIdentity) {
        let facts = identity.first.certificate.facts
        let periods = identity.periods
        self.init(
            issuer: facts.issuer, serial: facts.serial, own: periods[0], others: Array(periods.dropFirst()),
            fingerprint: facts.fingerprint.hashValue)
    }

    init(issuer: String, serial: [UInt8], own: CertificatePeriod, others: [CertificatePeriod], fingerprint: Int) {
        self.issuer = issuer
        self.serial = serial
        self.own = own
        self.others = others
        self.fingerprint = fingerprint
    }

    var periods: [CertificatePeriod] { [own] + others }

    /// The serial number as `openssl x509 -serial` writes it.
    public var serialText: String {
        serial.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined()
    }

    /// When the first of the host's own certificates ends, in seconds since 1970.
    public var notAfter: Int64 {
        others.reduce(own.notAfter) { $1.subject == own.subject ? min($0, $1.notAfter) : $0 }
    }

    /// How much of its life a certificate of the host has left at least: 1 at its beginning, 0 and less from its end on.
    public func lifeLeft(_ now: Int64) -> Double {
        func left(_ period: CertificatePeriod) -> Double {
            Double(period.notAfter - now) / Double(max(1, period.notAfter - period.notBefore))
        }
        return others.reduce(left(own)) { $1.subject == own.subject ? min($0, left($1)) : $0 }
    }
}

/// How a certificate stands, and what is wrong with it that does not change with time alone.
struct CertificateStanding: Sendable {
    var state: CertificateState
    var problems: [CertificateProblem]
    /// Of the certificate in service; nil where there is none.
    var summary: CertificateSummary?
    /// The names that it is for.
    var names: [String] = []

    init(_ content: CertificateRecord.Content, host: String?) {
        switch content {
        case .broken(let problem): (state, problems) = (.broken, [problem])
        case .identity(let identity):
            problems = CertificateChecks.lasting(of: identity, host: host)
            state = problems.contains { $0.kind.isRefusedByClients } ? .broken : .usable
            summary = CertificateSummary(identity)
            names = identity.facts.first?.names ?? []
        }
    }

    init(_ state: CertificateState, _ problem: CertificateProblem) { (self.state, problems) = (state, [problem]) }

    /// Adds what is wrong with files that are not in service, time included: it may be why they are not.
    mutating func add(_ content: CertificateRecord.Content, host: String?, now: Int64) {
        switch content {
        case .broken(let problem): problems.append(problem)
        case .identity(let identity):
            problems += CertificateChecks.problems(of: identity, host: host, now: now)
        }
    }
}

/// Something that is wrong with a certificate, for as long as it is so.
public struct StandingProblem: Hashable, Sendable {
    public let problem: CertificateProblem
    /// The folder below `config/hosts` whose certificate it is, or should be.
    public let folder: String
    /// Since 1970.
    public let sinceSeconds: Int64
    /// Whether time alone makes it come and go.
    let isOfTime: Bool
    /// The survey in which it was last in the log.
    var reported: Int32
}

/// What has changed about certificates, for the log.
public struct CertificateNews: Sendable {
    public var found: [CertificateProblem] = []
    /// Files about which no error stands any more, and whether anything else does.
    public var ended: [(file: String, isFine: Bool)] = []
    /// Folders with another certificate in service, and when it ends.
    public var renewed: [(folder: String, notAfter: Int64)] = []
    /// How much more of each there is than is told one by one.
    public var moreFound = 0
    public var moreEnded = 0
    public var moreRenewed = 0

    public init() {}

    public var isEmpty: Bool { found.isEmpty && ended.isEmpty && renewed.isEmpty }
}
