// The state of the certificates of served hosts, as plain values: what metrics, the status, `status HOST` and
// `status --expiring` tell of them.

import Posix
public import SourceJSON

/// The certificates of all served hosts.
public struct CertificateFigures: Sendable, Equatable {
    public var usable = 0
    /// Those whose files are broken or gone, while an earlier state of them is in service.
    public var lastGood = 0
    /// Those with which handshakes fail, or that every client refuses.
    public var broken = 0
    /// Hosts without any.
    public var missing = 0
    /// Those that are decoded, because clients have asked for them.
    public var inMemory = 0
    /// Whether all hosts were looked at since the start.
    public var isComplete = true
    /// The first to end.
    public var soonest: [Expiry] = []
    /// The least share of its life that a certificate has left: 1 at its beginning, 0 and less from its end on.
    public var lifeLeftMin: Double?
    /// Open findings, and the first of them.
    public var open = Counts()
    public var problems: [CertificateReport.Problem] = []
    /// What was found since the start, and how often files were of no use.
    public var found = Counts()
    public var loadFailures = 0

    /// Whether there is nothing to tell of any.
    var isEmpty: Bool { usable + lastGood + broken + missing == 0 }

    public struct Expiry: Sendable, Equatable {
        /// A folder below `config/hosts`: a host, `_wildcard.example.com` or `_default`.
        public var folder: String
        /// Seconds since 1970.
        public var notAfter: Int64
        public var issuer: String

        public init(folder: String, notAfter: Int64, issuer: String) {
            self.folder = folder
            self.notAfter = notAfter
            self.issuer = issuer
        }
    }

    /// Findings by severity.
    public struct Counts: Sendable, Equatable {
        public var errors: Int
        public var warnings: Int
        public var notes: Int

        public init(errors: Int = 0, warnings: Int = 0, notes: Int = 0) {
            self.errors = errors
            self.warnings = warnings
            self.notes = notes
        }

        var sum: Int { errors + warnings + notes }
    }

    public init() {}

    private static var numbers: [(String, WritableKeyPath<CertificateFigures, Int>)] {
        [
            ("usable", \.usable), ("lastGood", \.lastGood), ("broken", \.broken), ("missing", \.missing),
            ("inMemory", \.inMemory), ("standingErrors", \.open.errors), ("standingWarnings", \.open.warnings),
            ("standingNotes", \.open.notes), ("errors", \.found.errors), ("warnings", \.found.warnings),
            ("notes", \.found.notes), ("loadFailures", \.loadFailures),
        ]
    }

    var value: SourceValue {
        .object(
            CertificateFigures.numbers.map { ($0.0, .integer(self[keyPath: $0.1])) } + [
                ("complete", .bool(isComplete)), ("soonest", .array(soonest.map { .object($0.members) })),
                ("problems", .array(problems.map(\.value))),
            ])
    }

    init?(_ value: SourceValue) {
        self.init()
        for (name, path) in CertificateFigures.numbers {
            guard let number = value.number(name) else { return nil }
            self[keyPath: path] = number
        }
        isComplete = value.flag("complete") ?? true
        soonest = (value.list("soonest") ?? []).compactMap { Expiry($0) }
        problems = (value.list("problems") ?? []).compactMap { CertificateReport.Problem($0) }
    }
}

/// The certificate that answers for one host.
public struct CertificateReport: Sendable, Equatable {
    /// The folder below `config/hosts` that it is in, or should be.
    public var folder: String
    /// As in the metric `associated_certificates`.
    public var state: String
    /// In seconds since 1970; nil, as the next two, where there is none in service.
    public var notAfter: Int64?
    public var serial: String?
    public var issuer: String?
    public var problems: [Problem]

    /// Something that is wrong with a certificate.
    public struct Problem: Sendable, Equatable {
        public var folder: String
        /// Since 1970.
        public var sinceSeconds: Int64
        public var rule: String
        public var severity: String
        /// The finding in one line, with its file.
        public var finding: String

        public init(folder: String, sinceSeconds: Int64, rule: String, severity: String, finding: String) {
            self.folder = folder
            self.sinceSeconds = sinceSeconds
            self.rule = rule
            self.severity = severity
            self.finding = finding
        }
    }

    public init(
        folder: String, state: String, notAfter: Int64?, serial: String?, issuer: String?, problems: [Problem]
    ) {
        self.folder = folder
        self.state = state
        self.notAfter = notAfter
        self.serial = serial
        self.issuer = issuer
        self.problems = problems
    }

    var value: SourceValue {
        .object([
            ("folder", .string(folder)), ("state", .string(state)),
            ("notAfterSeconds", notAfter.map { .integer(Int($0)) } ?? .null),
            ("serial", serial.map { .string($0) } ?? .null), ("issuer", issuer.map { .string($0) } ?? .null),
            ("problems", .array(problems.map(\.value))),
        ])
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let state = value.text("state"), let problems = value.list("problems")
        else { return nil }
        self.init(
            folder: folder, state: state, notAfter: value.number("notAfterSeconds").map { Int64($0) },
            serial: value.text("serial"), issuer: value.text("issuer"), problems: problems.compactMap { Problem($0) })
    }
}

extension CertificateFigures.Expiry {
    var members: [(String, SourceValue)] {
        [("folder", .string(folder)), ("notAfterSeconds", .integer(Int(notAfter))), ("issuer", .string(issuer))]
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let end = value.number("notAfterSeconds") else { return nil }
        self.init(folder: folder, notAfter: Int64(end), issuer: value.text("issuer") ?? "")
    }
}

extension CertificateReport.Problem {
    var value: SourceValue {
        .object([
            ("folder", .string(folder)), ("sinceSeconds", .integer(Int(sinceSeconds))), ("rule", .string(rule)),
            ("severity", .string(severity)), ("finding", .string(finding)),
        ])
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let since = value.number("sinceSeconds"),
            let rule = value.text("rule"), let severity = value.text("severity"), let finding = value.text("finding")
        else { return nil }
        self.init(folder: folder, sinceSeconds: Int64(since), rule: rule, severity: severity, finding: finding)
    }
}

public struct ExpiryReport: Sendable, Equatable {
    /// When this was true, in seconds since 1970.
    public var nowSeconds: Int64
    /// How far it looks ahead.
    public var withinSeconds: Int64
    /// The first first.
    public var certificates: [CertificateFigures.Expiry]
    /// How many more there are.
    public var more: Int

    /// No answer is larger than a client of the admin listener reads.
    static let listMax = 20_000
    /// A hundred years.
    static let withinMax: Int64 = 100 * 366 * 86_400

    public init(nowSeconds: Int64, withinSeconds: Int64, all: [CertificateFigures.Expiry]) {
        self.nowSeconds = nowSeconds
        self.withinSeconds = withinSeconds
        certificates = Array(all.prefix(ExpiryReport.listMax))
        more = all.count - certificates.count
    }

    /// One line for each certificate: when it ends, in how many days, which, and whose.
    public var text: String {
        if certificates.isEmpty { return "no certificate ends within \(Age.text(seconds: withinSeconds))\n" }
        var lines = certificates.map { expiry in
            let left = expiry.notAfter - nowSeconds
            let when = left >= 0 ? "in \(Age.text(seconds: left))" : "\(Age.text(seconds: -left)) ago"
            return "\(Clock.day(expiry.notAfter))  \(when)  \(expiry.folder)  \(expiry.issuer)"
        }
        if more > 0 { lines.append("and \(more) more") }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    var json: [UInt8] {
        SourceWriter.canonical(
            .object([
                ("nowSeconds", .integer(Int(nowSeconds))), ("withinSeconds", .integer(Int(withinSeconds))),
                (
                    "certificates",
                    .array(
                        certificates.map { expiry in
                            let days = Int((expiry.notAfter - nowSeconds) / 86_400)
                            return .object(expiry.members + [("daysLeft", .integer(days))])
                        })
                ), ("more", .integer(more)),
            ]))
    }

    /// Nil for what is no such report.
    public init?(_ value: SourceValue) {
        guard let now = value.number("nowSeconds"), let within = value.number("withinSeconds"),
            let certificates = value.list("certificates"), let more = value.number("more")
        else { return nil }
        (nowSeconds, withinSeconds, self.more) = (Int64(now), Int64(within), more)
        self.certificates = certificates.compactMap { CertificateFigures.Expiry($0) }
    }
}
