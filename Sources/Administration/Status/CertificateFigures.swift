// How the certificates of the served hosts stand, as plain values: what metrics, the status and `status HOST` tell of them.

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
    /// What stands, and the first of it.
    public var standing = Counts()
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
}
