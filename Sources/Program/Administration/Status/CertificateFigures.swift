// The state of the certificates of served hosts, as plain values for the metrics, `status`, `status HOST` and `status --expiring`.

public import Certificates
import Posix
import SourceJSON
import TLS
public import Tenancy

/// The certificates of all served hosts.
public struct CertificateFigures: Sendable, Equatable {
    public var usable = 0
    /// Certificates whose files are broken or missing, so an earlier version is served.
    public var lastGood = 0
    /// Certificates with which handshakes fail, or that every client rejects.
    public var broken = 0
    /// Hosts without a certificate, apart from those of `awaited`.
    public var missing = 0
    /// Hosts that wait for the first certificate from the manager.
    public var awaited = 0
    /// Certificates that are loaded, because clients have requested them.
    public var inMemory = 0
    /// Whether the certificates of all hosts have been checked since the start.
    public var isComplete = true
    /// The certificates that expire first.
    public var soonest: [Expiry] = []
    /// The smallest share of its lifetime that any certificate has left: 1 when it is new, 0 or less when it has expired. Of longer
    /// lifetimes, the last 84 days count.
    public var judgedLifeLeftMin: Double?
    /// Open findings, and the first of them.
    public var open = ProblemCounts()
    public var problems: [CertificateReport.Problem] = []
    /// The same, of up to a thousand findings, with each cause once. Empty in a report of an earlier version.
    public var causes: [CertificateReport.Problem] = []
    /// All findings since the start, and how often files could not be used.
    public var found = ProblemCounts()

    /// Whether no certificate is known.
    var isEmpty: Bool { usable + lastGood + broken + missing + awaited == 0 }

    public typealias Expiry = CertificateSurvey.Expiry

    public init() {}

    /// Takes hosts for which the manager orders the first certificate out of those without one. The manager may count more than
    /// this server misses: it has only now stored some, and other nodes may serve others.
    public mutating func noteAwaited(_ count: Int) {
        awaited = min(missing, count)
        missing -= awaited
    }
}

/// The certificate of one host.
public struct CertificateReport: Sendable, Equatable {
    /// The folder below `config/hosts` that contains it, or should.
    public var folder: String
    /// A value of the label `state` of the metric `associated_certificates`.
    public var state: String
    /// In seconds since 1970; nil if none is in service, like the next three.
    public var notAfter: Int64?
    /// The remaining share of its lifetime.
    public var lifeLeftPercent: Int?
    public var serial: String?
    public var issuer: String?
    public var problems: [Problem]

    /// A finding about a certificate.
    public struct Problem: Sendable, Equatable {
        public var folder: String
        /// Seconds since 1970.
        public var sinceSeconds: Int64
        public var rule: String
        public var severity: String
        /// In one line, with its file. With `HOST` for the folder if several have the same finding.
        public var finding: String
        /// Whether it was there when the server first looked, and may be older.
        public var isOrEarlier = false
        /// The next folders with the same finding, and the number of all of them.
        public var alike: [String] = []
        public var count = 1

        public init(
            folder: String = "", sinceSeconds: Int64 = 0, rule: String = "", severity: String = "", finding: String = ""
        ) {
            (self.folder, self.sinceSeconds, self.rule, self.severity) = (folder, sinceSeconds, rule, severity)
            self.finding = finding
        }
    }

    public init(
        folder: String = "", state: String = "", notAfter: Int64? = nil, lifeLeftPercent: Int? = nil,
        serial: String? = nil, issuer: String? = nil, problems: [Problem] = []
    ) {
        (self.folder, self.state, self.notAfter, self.serial, self.issuer) = (folder, state, notAfter, serial, issuer)
        (self.lifeLeftPercent, self.problems) = (lifeLeftPercent, problems)
    }
}

extension CertificateFigures: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("usable", \.usable), .needed("lastGood", \.lastGood), .needed("broken", \.broken),
            .needed("missing", \.missing), .optional("awaited", \.awaited), .needed("inMemory", \.inMemory),
            .needed("standingErrors", \.open.errors), .needed("standingWarnings", \.open.warnings),
            .needed("standingNotes", \.open.notes), .needed("errors", \.found.errors),
            .needed("warnings", \.found.warnings), .needed("notes", \.found.notes),
            .needed("loadFailures", \.found.loadFailures), .optional("complete", \.isComplete),
            .optional("soonest", \.soonest), .optional("problems", \.problems), .optional("causes", \.causes),
        ]
    }
}

extension CertificateFigures.Expiry: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("folder", \.folder), .needed("notAfterSeconds", \.notAfter), .optional("issuer", \.issuer),
            .optional("lifeLeftPercent", \.lifeLeftPercent),
        ]
    }
}

extension CertificateReport: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("folder", \.folder), .needed("state", \.state), .optional("notAfterSeconds", \.notAfter),
            .optional("lifeLeftPercent", \.lifeLeftPercent), .optional("serial", \.serial),
            .optional("issuer", \.issuer), .needed("problems", \.problems),
        ]
    }
}

extension CertificateReport.Problem: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("folder", \.folder), .needed("sinceSeconds", \.sinceSeconds), .needed("rule", \.rule),
            .needed("severity", \.severity), .needed("finding", \.finding),
            .optional("sinceStartOrEarlier", \.isOrEarlier), .optional("alike", \.alike), .optional("count", \.count),
        ]
    }
}

extension CertificateReport.Problem {
    /// The problems with each cause once. No tenant can fill the list.
    /// - Parameter tenant: whose a folder is.
    public static func causes(
        _ problems: [Self], max: Int, tenant: (String) -> TenantID = { TenantID(of: $0, folder: nil) }
    ) -> [Self] {
        let sorted = problems.sorted { ProblemGroups.isBefore($0.folder, $1.folder) }
        let groups = ProblemGroups.grouped(sorted) {
            "\($0.severity) \(ProblemGroups.cause($0.finding, of: $0.folder))"
        }
        let causes = groups.map { group in
            var first = group[0]
            if group.count == 1 { return first }
            first.finding = ProblemGroups.cause(first.finding, of: first.folder)
            (first.count, first.alike) = (
                group.count, group.dropFirst().prefix(ProblemGroups.namesMax - 1).map(\.folder)
            )
            first.sinceSeconds = group.map(\.sinceSeconds).min() ?? first.sinceSeconds
            first.isOrEarlier = group.contains(where: \.isOrEarlier)
            return first
        }
        func fitting(_ causes: [Self], _ room: Int) -> [Self] {
            FairShare.fitting(causes, room: room) { tenant($0.folder) }
        }
        let errors = fitting(causes.filter { $0.severity == "error" }, max)
        return errors + fitting(causes.filter { $0.severity != "error" }, max - errors.count)
    }
}

extension Age {
    /// When a certificate expires, such as `expires in 21 days (2026-12-11), 23 % of its lifetime left`.
    static func expiry(_ notAfter: Int64, lifeLeftPercent: Int?, nowSeconds: Int64) -> String {
        let left = notAfter - nowSeconds
        if left < 0 { return "expired \(text(seconds: -left)) ago (\(Clock.day(notAfter)))" }
        let share = lifeLeftPercent.map { ", \($0) % of its lifetime left" } ?? ""
        return "expires in \(text(seconds: left)) (\(Clock.day(notAfter)))\(share)"
    }
}

/// The certificates that expire soon, for `associated status --expiring`.
public struct ExpiryReport: Sendable, Equatable {
    /// The time of the report, in seconds since 1970.
    public var nowSeconds: Int64
    /// The length of the period that the report covers.
    public var withinSeconds: Int64
    /// The first to expire comes first.
    public var certificates: [CertificateFigures.Expiry]
    /// The number of certificates that are not listed.
    public var more: Int

    /// Keeps the answer below the size that a client of the admin listener reads.
    static let listMax = 20_000
    /// A hundred years.
    static let withinMax: Int64 = 100 * 366 * 86_400

    public init(nowSeconds: Int64, withinSeconds: Int64, all: [CertificateFigures.Expiry]) {
        (self.nowSeconds, self.withinSeconds) = (nowSeconds, withinSeconds)
        certificates = Array(all.prefix(ExpiryReport.listMax))
        more = all.count - certificates.count
    }

    /// One line for each certificate: its last day, the time and the share of its lifetime until then, its folder and its issuer.
    public var text: String {
        if certificates.isEmpty { return "no certificate expires within \(Age.text(seconds: withinSeconds))\n" }
        var lines = certificates.map { expiry in
            let left = expiry.notAfter - nowSeconds
            let share = expiry.lifeLeftPercent.map { ", \($0) % left" } ?? ""
            let when = left >= 0 ? "in \(Age.text(seconds: left))\(share)" : "\(Age.text(seconds: -left)) ago"
            return "\(Clock.day(expiry.notAfter))  \(when)  \(expiry.folder)  \(expiry.issuer)"
        }
        if more > 0 { lines.append("and \(more) more") }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }
}

extension ExpiryReport: JSONRecord {
    package static var blank: Self { Self(nowSeconds: 0, withinSeconds: 0, all: []) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("nowSeconds", \.nowSeconds), .needed("withinSeconds", \.withinSeconds),
            .needed("certificates", \.certificates).written { report in
                .array(
                    report.certificates.map { expiry in
                        let days = Int((expiry.notAfter - report.nowSeconds) / 86_400)
                        return .object(expiry.object + [("daysLeft", .integer(days))])
                    })
            }, .needed("more", \.more),
        ]
    }
}
