// What is known of one folder's certificate, and what a look at its files changes about it. No disk and no clock here: a look
// is given, and what it means is decided.
//
// Files that can be used replace the ones in service. Files that cannot, or that every client would refuse, leave the last good
// ones in service; that is reported when it is still so at the next look, because renewals write one file after the other.

/// One folder's certificate in memory.
struct CertificateRecord: Sendable {
    enum Content: Sendable {
        case identity(ServerIdentity)
        /// There are files, but they cannot be used, and there is no earlier state of them.
        case broken(CertificateProblem)
    }

    /// What a look at the folder has found.
    enum Look: Sendable {
        /// No `fullchain.pem`.
        case gone
        /// The files in service.
        case same
        /// Files that are not in service, whether seen before or not.
        case found(stamp: Int, Content)
    }

    /// Files that were seen and are not in service. What came of reading them is kept, so that they are read once.
    struct Refused: Sendable {
        /// Nil where the files are gone.
        var stamp: Int?
        var content: Content?
        var isReported = false
    }

    private(set) var content: Content
    /// The state of the files that the content was made from.
    private(set) var stamp: Int
    private(set) var refused: Refused?
    /// When the files were looked at, by the monotonic clock.
    var checkedMilliseconds: Int64
    /// The last problem of time that was reported, so that it is reported once.
    private var reportedExpiry: CertificateProblem.Kind?

    init(_ content: Content, stamp: Int, checkedMilliseconds: Int64 = 0) {
        self.content = content
        self.stamp = stamp
        self.checkedMilliseconds = checkedMilliseconds
    }

    /// Whether the files were gone at two looks.
    var isGone: Bool { refused.map { $0.stamp == nil && $0.isReported } ?? false }

    /// What there is to report about files that were read for the first time.
    mutating func firstProblems(host: String?, now: Int64) -> [CertificateProblem] {
        switch content {
        case .broken(let problem): return [problem]
        case .identity(let identity):
            reportedExpiry = CertificateChecks.expiry(of: identity, now)?.kind
            return CertificateChecks.problems(of: identity, host: host, now: now)
        }
    }

    /// Takes up what a look has found, and returns what there is to report.
    mutating func take(_ look: Look, host: String?, now: Int64) -> [CertificateProblem] {
        switch look {
        case .gone:
            let isSettled = refused.map { $0.stamp == nil } ?? false
            refused = Refused(stamp: nil, content: nil, isReported: isSettled)
            return isSettled ? newExpiry(now) : []
        case .same:
            refused = nil
            return newExpiry(now)
        case .found(let stamp, let found):
            if isBetter(found, host, now) {
                self = CertificateRecord(found, stamp: stamp, checkedMilliseconds: checkedMilliseconds)
                return firstProblems(host: host, now: now)
            }
            if stamp == self.stamp {
                // Read once more because of a shortage, and no better than before.
                content = found
                refused = nil
                return []
            }
            let isSettled = refused?.stamp == stamp
            let isReported = isSettled && refused?.isReported == true
            refused = Refused(stamp: stamp, content: found, isReported: isSettled)
            guard isSettled, !isReported else { return newExpiry(now) }
            if case .broken = content {
                // One broken state after another: this is the one to speak of.
                self = CertificateRecord(found, stamp: stamp, checkedMilliseconds: checkedMilliseconds)
            }
            return CertificateRecord.problems(of: found, host, now)
        }
    }

    /// Whether files may take over: unless clients would refuse them and not what they have now.
    private func isBetter(_ found: Content, _ host: String?, _ now: Int64) -> Bool {
        guard case .identity(let new) = found else { return false }
        guard case .identity(let current) = content else { return true }
        // Half of what is in service already is no progress.
        if new.isPartial, !current.isPartial, new.facts.first == current.facts.first { return false }
        func isRefusedByClients(_ identity: ServerIdentity) -> Bool {
            CertificateChecks.problems(of: identity, host: host, now: now).contains { $0.kind.isRefusedByClients }
        }
        return !isRefusedByClients(new) || isRefusedByClients(current)
    }

    private mutating func newExpiry(_ now: Int64) -> [CertificateProblem] {
        guard case .identity(let identity) = content else { return [] }
        let problem = CertificateChecks.expiry(of: identity, now)
        if problem?.kind == reportedExpiry { return [] }
        reportedExpiry = problem?.kind
        return problem.map { [$0] } ?? []
    }

    private static func problems(of content: Content, _ host: String?, _ now: Int64) -> [CertificateProblem] {
        switch content {
        case .broken(let problem): [problem]
        case .identity(let identity): CertificateChecks.problems(of: identity, host: host, now: now)
        }
    }
}

extension CertificateRecord.Content {
    var lookup: CertificateStore.Lookup {
        switch self {
        case .identity(let identity): .identity(identity)
        case .broken(let problem): .broken(problem.description)
        }
    }

    /// Whether reading the same files again may end differently: the process was short of something, or could not open them.
    var isWorthAnotherReading: Bool {
        guard case .broken(let problem) = self else { return false }
        return problem.shortage != nil || problem.kind == .unreadableFile
    }
}
