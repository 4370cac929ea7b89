// What is known of one folder's certificate, and what a look at its files changes about it. No disk and no clock here: a look
// is given, and what it means is decided.
//
// Files that can be used replace the ones in service. Files that cannot, or that every client would refuse, leave the last good
// ones in service; that counts when it is still so at the next look, because renewals write one file after the other.

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
        /// Whether two looks in a row have found them so.
        var isSettled = false
    }

    private(set) var content: Content
    /// The state of the files that the content was made from.
    private(set) var stamp: Int
    private(set) var refused: Refused?
    /// When the files were looked at, by the monotonic clock.
    var checkedMilliseconds: Int64

    init(_ content: Content, stamp: Int, checkedMilliseconds: Int64 = 0) {
        self.content = content
        self.stamp = stamp
        self.checkedMilliseconds = checkedMilliseconds
    }

    /// Whether the files were gone at two looks in a row.
    var isGone: Bool { refused.map { $0.stamp == nil && $0.isSettled } ?? false }

    /// Whether the files are in the middle of being replaced, as far as one look can tell.
    var isUnsettled: Bool { refused.map { !$0.isSettled } ?? false }

    /// Takes up what a look has found.
    mutating func take(_ look: Look, host: String?, now: Int64) {
        switch look {
        case .same: refused = nil
        case .gone: refused = Refused(stamp: nil, content: nil, isSettled: refused.map { $0.stamp == nil } ?? false)
        case .found(let stamp, let found):
            let isSettled = refused.map { $0.stamp == stamp } ?? false
            if isBetter(found, host, now) || stamp == self.stamp || isSettled && isBroken {
                self = CertificateRecord(found, stamp: stamp, checkedMilliseconds: checkedMilliseconds)
            } else {
                refused = Refused(stamp: stamp, content: found, isSettled: isSettled)
            }
        }
    }

    private var isBroken: Bool {
        guard case .broken = content else { return false }
        return true
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

    /// How the certificate stands, what time makes of the one in service left aside.
    func standing(host: String?, now: Int64) -> CertificateStanding {
        var standing = CertificateStanding(content, host: host)
        guard let refused, refused.isSettled else { return standing }
        if standing.state == .usable { standing.state = .lastGood }
        if let content = refused.content { standing.add(content, host: host, now: now) }
        return standing
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
        return problem.isWorthAnotherReading
    }
}

extension CertificateProblem {
    var isWorthAnotherReading: Bool { shortage != nil || kind == .unreadableFile }
}
