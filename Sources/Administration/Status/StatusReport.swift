// How the whole server stands: what whoever is on call wants to see first. Lists in it are cut to what a person reads.

/// The answer of `/status`.
public struct StatusReport: Sendable, Equatable {
    public var version: String
    /// The TLS library that it runs with.
    public var library: String
    public var processID: Int
    /// When this was true, and when the server was started, in seconds since 1970.
    public var nowSeconds: Int64
    public var startedSeconds: Int64
    /// By the monotonic clock: the other one may be set meanwhile.
    public var uptimeSeconds: Int64
    /// Why it is not ready; none when it is.
    public var waits: [String]
    public var hosting: HostingFigures
    /// Hosts on their last good version; the first of them.
    public var kept: [Kept]
    /// What keeps something from being served; the first of it.
    public var findings: [Standing]
    /// The app files of which the removal guard keeps something; the first of them.
    public var guardedFiles: [String] = []
    /// One for all that is served: two servers with equal ones serve the same.
    public var servedDigest: String
    public var reloads: ReloadFigures
    /// Nil where no TLS is spoken.
    public var certificates: CertificateFigures?
    public var workers: [WorkerState]
    public var openConnections: Int
    public var verifiers: VerifierFigures
    public var refusals = RefusalFigures()

    /// A host that is served by an earlier version than there is on disk.
    public struct Kept: Sendable, Equatable {
        public var host: String
        /// The first of the findings that are the reason.
        public var reason: Standing

        public init(host: String, reason: Standing) {
            self.host = host
            self.reason = reason
        }
    }

    /// A finding that stands.
    public struct Standing: Sendable, Equatable {
        /// In one line.
        public var finding: String
        /// Since 1970. What was there at the start has stood for that long at least.
        public var sinceSeconds: Int64

        public init(finding: String, sinceSeconds: Int64) {
            self.finding = finding
            self.sinceSeconds = sinceSeconds
        }
    }

    /// How many of each list are told.
    public static let listMax = 20

    public init(
        version: String, library: String, processID: Int, nowSeconds: Int64, startedSeconds: Int64, waits: [String],
        hosting: HostingFigures, kept: [Kept], findings: [Standing], servedDigest: String, reloads: ReloadFigures,
        certificates: CertificateFigures?, workers: [WorkerState], openConnections: Int, verifiers: VerifierFigures
    ) {
        self.version = version
        self.library = library
        self.processID = processID
        self.nowSeconds = nowSeconds
        self.startedSeconds = startedSeconds
        uptimeSeconds = nowSeconds - startedSeconds
        self.waits = waits
        self.hosting = hosting
        self.kept = kept
        self.findings = findings
        self.servedDigest = servedDigest
        self.reloads = reloads
        self.certificates = certificates
        self.workers = workers
        self.openConnections = openConnections
        self.verifiers = verifiers
    }

    public var isReady: Bool { waits.isEmpty }

    /// Whether an operator need do nothing, as far as is known: what has not been looked at yet is not known.
    public var isFine: Bool { isReady && hosting.errors == 0 && certificates?.isComplete != false }
}
