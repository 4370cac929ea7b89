// One look-up through memory, and to the disk where its caller may wait for that. Workers may not: they learn what has to be
// read, and ask again when somebody has done so.

import Posix
import Synchronization

/// Something that has to be read, or made, before a name's certificate is known. Thrown where a look-up must not do so.
enum CertificateReading: Error, Hashable {
    case folder(HostScope, [UInt8])
    case development([UInt8])
}

extension CertificateStore {
    /// How far a look-up goes.
    enum Effort {
        /// To the disk.
        case disk
        /// Memory only; what has to be compared with the files again, and is no certificate, does not count.
        case fresh
        /// Memory only, however old.
        case remembered
    }

    /// What memory says of a name.
    enum Recollection {
        /// With what should be read before long, though nobody waits for it.
        case found(Lookup, due: CertificateReading?)
        case unread(CertificateReading)
    }

    /// The look-up of a name as far as memory goes. The empty name stands for clients that name no host.
    /// - Parameter isPatient: whether it is better to wait for a reading than to take what may be out of date.
    func recollect(_ host: Span<UInt8>, isPatient: Bool) -> Recollection {
        var due: CertificateReading?
        do throws(CertificateReading) {
            return .found(try find(host, isPatient ? .fresh : .remembered, &due), due: due)
        } catch {
            return .unread(error)
        }
    }

    /// Does what a recollection asked for.
    func read(_ reading: CertificateReading) {
        var due: CertificateReading?
        switch reading {
        case .folder(let scope, let name):
            if (try? look(scope, name.span, .disk, &due)) == nil, scope == .exact { checkCoverage(name) }
        case .development(let name): _ = try? developmentIdentity(for: name.span, .disk)
        }
    }

    /// A host without a folder of its own is answered by one for others. Said once for each certificate: below a wildcard,
    /// whoever connects chooses the names.
    private func checkCoverage(_ name: [UInt8]) {
        let host = String(decoding: name, as: UTF8.self)
        guard HostName.isValid(name.span), serves(host), case .identity(let identity) = identity(for: name.span),
            let facts = identity.facts.first,
            let problem = CertificateCoverage.problem(
                host: host, names: facts.names, file: identity.first.certificateFile)
        else { return }
        let isNew = uncovered.withLock { uncovered in
            uncovered.count < CertificateStore.uncoveredMax && uncovered.insert([problem.file] + facts.names).inserted
        }
        if isNew { problems.add([problem]) }
    }

    func find(
        _ host: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup {
        if host.isEmpty {
            if let found = try look(.unnamed, host, effort, &due) { return found }
            return try developmentIdentity(for: host, effort) ?? .none
        }
        if let found = try look(.exact, host, effort, &due) { return found }
        if HostName.isValid(host) {
            if let found = try wildcardIdentity(for: host, effort, &due) { return found }
            if let found = try developmentIdentity(for: host, effort) { return found }
        }
        return try look(.unnamed, nobody.span, effort, &due) ?? .none
    }

    private func developmentIdentity(
        for host: Span<UInt8>, _ effort: Effort
    ) throws(CertificateReading) -> Lookup? {
        guard let development else { return nil }
        // Making one is no look at the disk, but takes as long; and so may asking whether it is wanted.
        guard effort == .disk else {
            guard let known = development.knownAnswer(for: host) else {
                throw .development(host.withUnsafeBytes { Array($0) })
            }
            return known.map { .identity($0) }
        }
        guard isDevelopmentHost(host) else {
            development.remember(unwanted: host)
            return nil
        }
        do throws(TLSError) {
            return .identity(try development.identity(for: host))
        } catch {
            return .broken(error.description)
        }
    }

    /// Whether a development authority answers for a name.
    func isDevelopmentHost(_ host: Span<UInt8>) -> Bool {
        guard development != nil else { return false }
        return host.isEmpty || wantsDevelopment(host.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }

    func wildcardIdentity(
        for host: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup? {
        var parents = 0
        for index in host.indices where host[index] == UInt8(ascii: ".") {
            parents += 1
            if parents >= CertificateLimits.labelsMax { return nil }
            if let found = try look(.wildcard, host.extracting((index + 1)...), effort, &due) { return found }
        }
        return nil
    }

    /// What one folder has; nil if it has no certificate.
    func look(
        _ scope: HostScope, _ name: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup? {
        if name.count > HostName.bytesMax { return nil }
        let hash = HostCache<Entry>.hash(scope, name)
        let now = Clock.monotonicMilliseconds()
        switch remembered(scope, name, hash, now, effort) {
        case .known(let lookup): return lookup
        case .absent: return nil
        case .due(let entry):
            switch (effort, entry.content) {
            case (.disk, _): return recheck(entry, scope, name, hash)
            case (.fresh, .broken): throw reading(scope, name)
            case (.fresh, .identity), (.remembered, _):
                due = reading(scope, name)
                return entry.content.lookup
            }
        case .unknown:
            guard scope == .unnamed || HostName.isValid(name) else { return nil }
            guard effort == .disk else { throw reading(scope, name) }
            return load(scope, name, hash)
        }
    }

    func reading(_ scope: HostScope, _ name: Span<UInt8>) -> CertificateReading {
        .folder(scope, name.withUnsafeBytes { Array($0) })
    }

    /// What the tables say about a folder.
    private enum Memory {
        case known(Lookup)
        case absent
        /// To be compared with the files again, by this caller and no other if it claims to do so.
        case due(Entry)
        case unknown
    }

    private func remembered(
        _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int, _ now: Int64, _ effort: Effort
    ) -> Memory {
        tables.withLock { tables in
            if let place = tables.entries.place(scope, name, hash: hash) {
                if isFresh(tables.entries[place].checkedMilliseconds, now) {
                    return .known(tables.entries[place].content.lookup)
                }
                if effort == .disk { tables.entries[place].checkedMilliseconds = now }
                return .due(tables.entries[place])
            }
            guard let place = tables.absent.place(scope, name, hash: hash) else { return .unknown }
            return effort == .remembered || isFresh(tables.absent[place], now) ? .absent : .unknown
        }
    }

    func isFresh(_ checkedMilliseconds: Int64, _ now: Int64) -> Bool {
        now &- checkedMilliseconds < limits.recheckMilliseconds
    }
}
