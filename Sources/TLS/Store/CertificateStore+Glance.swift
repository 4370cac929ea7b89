// A quick look whether a host has a certificate, for a worker that is about to send somebody to TLS. A certificate that is
// in memory answers, however old it is; otherwise it is enough that the file is there. Nothing is read, and nothing is
// remembered.

import Posix
import Synchronization

extension CertificateStore {
    /// Whether a handshake for a host, in any case and without a trailing dot, can be expected to find a certificate.
    public func seemsToHaveCertificate(for host: Span<UInt8>) -> Bool {
        host.withUnsafeBytes { bytes in withCanonicalName(bytes) { glance($0) } }
    }

    /// The order is that of a look-up.
    private func glance(_ host: Span<UInt8>) -> Bool {
        guard HostName.isValid(host) else { return glance(.unnamed, nobody.span) ?? false }
        if let answer = glance(.exact, host) { return answer }
        var parents = 0
        for index in host.indices where host[index] == UInt8(ascii: ".") {
            parents += 1
            if parents >= CertificateLimits.labelsMax { break }
            if let answer = glance(.wildcard, host.extracting((index + 1)...)) { return answer }
        }
        return isDevelopmentHost(host) || glance(.unnamed, nobody.span) ?? false
    }

    /// What is known of a folder without a look at it.
    private enum Remembered {
        case certificate
        case broken
        case absent
        case nothing
    }

    /// What one folder says; nil if it has no certificate.
    private func glance(_ scope: HostScope, _ name: Span<UInt8>) -> Bool? {
        let hash = HostCache<Entry>.hash(scope, name)
        let now = Clock.monotonicMilliseconds()
        let remembered: Remembered = tables.withLock { tables in
            if let place = tables.entries.place(scope, name, hash: hash) {
                if case .identity = tables.entries[place].content { return .certificate }
                return isFresh(tables.entries[place].checkedMilliseconds, now) ? .broken : .nothing
            }
            guard let place = tables.absent.place(scope, name, hash: hash) else { return .nothing }
            return isFresh(tables.absent[place], now) ? .absent : .nothing
        }
        switch remembered {
        case .certificate: return true
        case .broken: return false
        case .absent: return nil
        case .nothing: return CertificateFiles(folder: folder(scope, name)).stamp() == nil ? nil : true
        }
    }
}
