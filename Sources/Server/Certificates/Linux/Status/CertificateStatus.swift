// The status of the certificate of a folder, as small values that stay in memory when the certificate does not.

public import TLS

/// The state of the certificate of a served host.
public enum CertificateState: String, Hashable, Sendable, CaseIterable {
    case usable
    /// The files are broken or gone, and an earlier version is in service.
    case lastGood = "last_good"
    /// Handshakes fail, or every client rejects the certificate.
    case broken
    /// The host has no certificate.
    case missing
}

/// A summary of a certificate in service.
public struct CertificateSummary: Hashable, Sendable {
    public internal(set) var issuer: String
    public let serial: [UInt8]
    /// The period of the host's own certificate, and those of the other certificates that clients get.
    let own: CertificatePeriod
    var others: [CertificatePeriod]
    /// Distinguishes certificates.
    let fingerprint: Int

    var periods: [CertificatePeriod] { [own] + others }

    /// The serial number as `openssl x509 -serial` writes it.
    public var serialText: String { Digest.hexadecimal(serial, digits: "0123456789ABCDEF") }

    /// When the host's own certificate expires, in seconds since 1970.
    public var notAfter: Int64 { own.notAfter }

    /// The remaining share of the lifetime of the host's own certificate: 1 at the beginning, 0 or less after expiry.
    func lifeLeft(_ now: Int64) -> Double { own.lifeLeft(now) }

    /// The same in whole percent, from 0 to 100.
    public func lifeLeftPercent(_ now: Int64) -> Int { Int((min(1, max(0, lifeLeft(now))) * 100).rounded(.down)) }

    /// The share by which findings are made: below 0.25 there is CERT-014, and below 0.1 CERT-013.
    func judgedLifeLeft(_ now: Int64) -> Double { own.judgedLifeLeft(now) }
}

extension CertificateSummary {
    init(_ identity: ServerIdentity) {
        let facts = identity.facts
        let periods = identity.periods
        self.init(
            issuer: facts.issuer, serial: facts.serial, own: periods[0], others: Array(periods.dropFirst()),
            fingerprint: facts.fingerprint.hashValue)
    }
}

/// The status of a certificate, and its problems except expiry.
struct CertificateStatus: Sendable {
    var state: CertificateState
    var problems: [CertificateProblem]
    var summary: CertificateSummary?
    /// The first names of the certificate.
    var names: [String] = []

    init(_ content: CertificateRecord.Content, host: String?) {
        switch content {
        case .broken(let problem): (state, problems) = (.broken, [problem])
        case .identity(let identity):
            problems = CertificateChecks.problemsBesideExpiry(of: identity, host: host)
            state = problems.contains { $0.kind.isRefusedByClients } ? .broken : .usable
            summary = CertificateSummary(identity)
            names = identity.certificate.firstNames
        }
    }

    init(_ state: CertificateState, _ problem: CertificateProblem) { (self.state, problems) = (state, [problem]) }

    /// Adds the problems of files that are not in service, including expiry, because it may be the reason.
    /// - Parameter consequence: added to the messages of errors.
    mutating func add(_ content: CertificateRecord.Content, host: String?, now: Int64, _ consequence: String) {
        let found =
            switch content {
            case .broken(let problem): [problem]
            case .identity(let identity): CertificateChecks.problems(of: identity, host: host, now: now)
            }
        problems += found.map { problem in
            var problem = problem
            if problem.severity == .error { problem.message += consequence }
            return problem
        }
    }
}

/// A problem of a certificate that is not resolved yet.
public struct OpenProblem: Hashable, Sendable {
    public let problem: CertificateProblem
    /// The folder below `config/hosts` in which the certificate is, or should be.
    public let folder: String
    /// When it was found, in seconds since 1970.
    public let sinceSeconds: Int64
    /// Whether it depends only on the time.
    let isOfTime: Bool
    /// Whether it was found by the first survey, and may be older than this process.
    public let wasThereAtFirst: Bool
    /// The survey in which it was last logged.
    var reported: Int32
}

/// Changes of certificates, for the log.
public struct CertificateNews: Sendable {
    public var found: [CertificateProblem] = []
    /// Files without errors any more, and whether they have no other problems either.
    public var ended: [(file: String, isFine: Bool)] = []
    /// Folders with a new certificate in service, and when it expires.
    public var renewed: [(folder: String, notAfter: Int64)] = []
    /// When that changes: the certificates in `config/hosts` that take precedence over those of the manager.
    public var overriding: Overriding?
    /// How many more of each there are than are listed.
    public var moreFound = 0
    public var moreEnded = 0
    public var moreRenewed = 0

    public var isEmpty: Bool { found.isEmpty && ended.isEmpty && renewed.isEmpty && overriding == nil }

    /// The number of folders, and the first of them.
    public struct Overriding: Hashable, Sendable {
        public let count: Int
        public let first: [String]

        static let firstMax = 5

        init(count: Int = 0, first: [String] = []) { (self.count, self.first) = (count, first) }
    }
}
