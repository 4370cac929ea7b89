// The record of one folder's certificate, and how the result of a check of its files changes it. Without a disk and a clock:
// results of checks are parameters.
//
// Usable files replace those in service. If files cannot be used, or every client would reject them, the last good ones stay in
// service. That is reported only when it is still so at the next check, because renewals write one file after the other.

import TLS

/// One folder's certificate in memory.
struct CertificateRecord: Sendable {
    enum Content: Sendable {
        case identity(ServerIdentity)
        /// The files cannot be used, and there is no earlier version of them.
        case broken(CertificateProblem)
    }

    /// The result of a check of the folder.
    enum Comparison: Sendable {
        /// There is no `fullchain.pem`.
        case gone
        /// The files in service.
        case same
        /// Files that are not in service, whether they were seen before or not.
        case found(stamp: Int, Content)
    }

    /// Files that were read but are not in service. The result is kept, so that they are read only once.
    struct Refused: Sendable {
        /// Nil if the files are gone.
        var stamp: Int?
        var content: Content?
        /// Whether two checks in a row had this result.
        var isSettled = false
    }

    private(set) var content: Content
    /// The state of the files from which the content was read.
    private(set) var stamp: Int
    private(set) var refused: Refused?
    /// When the files were last checked, by the monotonic clock.
    var checkedMilliseconds: Int64

    init(_ content: Content, stamp: Int, checkedMilliseconds: Int64 = 0) {
        (self.content, self.stamp, self.checkedMilliseconds) = (content, stamp, checkedMilliseconds)
    }

    /// The memory that it takes, estimated.
    var byteCount: Int {
        [content, refused?.content].reduce(512) { bytes, content in
            if case .identity(let identity)? = content { bytes + identity.byteCount } else { bytes }
        }
    }

    /// Whether the files were gone at two checks in a row.
    var isGone: Bool { refused.map { $0.stamp == nil && $0.isSettled } ?? false }

    /// Whether the files may just be in the process of being replaced.
    var isUnsettled: Bool { refused.map { !$0.isSettled } ?? false }

    /// Applies the result of a check.
    mutating func apply(_ look: Comparison, host: String?, now: Int64) {
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

    /// Whether files may replace those in service: not if clients would reject them but accept the present ones.
    private func isBetter(_ found: Content, _ host: String?, _ now: Int64) -> Bool {
        guard case .identity(let new) = found else { return false }
        guard case .identity(let current) = content else { return true }
        func isRefusedByClients(_ identity: ServerIdentity) -> Bool {
            CertificateChecks.problems(of: identity, host: host, now: now).contains { $0.kind.isRefusedByClients }
        }
        return !isRefusedByClients(new) || isRefusedByClients(current)
    }

    private static let refusedNote = "; the server keeps serving the last good certificate"

    /// The certificate in service, if its files were replaced by unusable ones or are gone.
    var lastGood: ServerIdentity? {
        guard case .identity(let identity) = content, refused?.isSettled == true else { return nil }
        return identity
    }

    /// The status of the certificate, without the expiry of the one in service.
    func status(host: String?, now: Int64) -> CertificateStatus {
        var status = CertificateStatus(content, host: host)
        guard let refused, refused.isSettled else { return status }
        let isServed = status.state == .usable
        if isServed { status.state = .lastGood }
        if let content = refused.content {
            status.add(content, host: host, now: now, isServed ? CertificateRecord.refusedNote : "")
        }
        return status
    }
}

extension CertificateRecord.Content {
    var lookup: CertificateLookup {
        switch self {
        case .identity(let identity): .identity(identity)
        case .broken(let problem): .broken(problem.description)
        }
    }

    /// Whether reading the same files again may give another result, because of a shortage or missing permissions.
    var isWorthAnotherReading: Bool {
        guard case .broken(let problem) = self else { return false }
        return problem.isWorthAnotherReading
    }
}

extension CertificateProblem {
    var isWorthAnotherReading: Bool { shortage != nil || kind == .unreadableFile }
}
