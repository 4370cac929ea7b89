// The state of all tenants: figures for each round's report, and the files and hosts behind them.

public import Association
import Catalogue
import Settings
import Telemetry
public import Tenancy

extension Tenants {
    /// All findings that keep something from being served.
    public var openFindings: [Finding] { memory.openFindings.all(in: source) }

    /// Whose a file is: that of a top folder of `config/apps`, which may also be that of the host's app file, that of a host, or the
    /// operator's, each of whose files counts by itself.
    public func tenant(ofFile file: String) -> TenantID {
        if let path = source.path(ofFile: file) { return TenantID(of: path, folder: TenantID.folder(ofApp: path)) }
        for root in [folders.hostsPath, folders.publicPath] {
            guard let path = file.below(root) else { continue }
            guard let host = HostFolders.host(of: String(path.prefix { $0 != "/" })) else { continue }
            return tenant(ofHost: host)
        }
        return TenantID(of: file, folder: nil)
    }

    public func tenant(ofHost host: String) -> TenantID {
        TenantID(of: host, folder: memory.appFiles.paths(naming: host).first.flatMap(TenantID.folder(ofApp:)))
    }

    /// The hosts that are served from an older version than the one on disk, sorted, each with its findings; at most this many. Call it
    /// between rounds.
    public func lastGoodReasons(hostsMax: Int) -> [(host: String, findings: [Finding])] {
        var reasons = FindingsByHost()
        let (appFiles, openFindings) = (memory.appFiles, memory.openFindings)
        for path in appFiles.notInService.sorted() where isServed(path) {
            for host in appFiles[path]?.good?.hosts ?? [] { reasons.add(openFindings.files[path] ?? [], host) }
        }
        for host in memory.unrenderable { reasons.add(openFindings.hosts[host] ?? [], host) }
        for path in unreadFiles where !appFiles.notInService.contains(path) {
            let findings = [openFindings.appFolders.reason(hiding: path)].compactMap { $0 }
            for host in appFiles[path]?.good?.hosts ?? [] { reasons.add(findings, host) }
        }
        if let trouble = openFindings.hostsFolder {
            for host in unreadHosts { reasons.add([trouble], host) }
        }
        let sorted = reasons.all.sorted { $0.key < $1.key }.map { (host: $0.key, findings: $0.value) }
        return FairShare.fitting(sorted, room: hostsMax) { tenant(ofHost: $0.host) }
    }

    /// The errors of files that are not in service, by the hosts that they name, served or not, and of hosts' own files that something
    /// else replaces. Without those that are the reason for a last good version. At most this many hosts. Call it between rounds.
    public func furtherErrors(hostsMax: Int) -> [String: [Finding]] {
        var named: [(host: String, file: String, findings: [Finding])] = []
        // Of a file that may not name a host, the host's tenant is told that and no more, behind the errors of its own files.
        var foreign = named
        let (appFiles, openFindings) = (memory.appFiles, memory.openFindings)
        for (path, hosts) in openFindings.namedHosts.sorted(by: { $0.key < $1.key }) {
            let kept = Set(appFiles[path]?.good?.hosts ?? [])
            let errors = (openFindings.files[path] ?? []).filter { $0.severity == .error }
            let trespass = errors.filter { $0.rule == .app046 }
            for host in hosts where !kept.contains(host) {
                if source.owners.allows(host, at: path) {
                    named.append((host, source.file(path), errors))
                } else if !trespass.isEmpty {
                    foreign.append((host, source.file(path), trespass))
                }
            }
        }
        for (host, findings) in openFindings.hosts.sorted(by: { $0.key < $1.key })
        where !memory.unrenderable.contains(host) {
            named.append((host, folders.wellKnownPath(of: host), findings.filter { $0.severity == .error }))
        }
        // One tenant could name any number of hosts.
        var errors = FindingsByHost()
        for (host, _, findings) in FairShare.fitting(
            named + foreign, room: hostsMax, tenant: { tenant(ofFile: $0.file) })
        {
            errors.add(findings, host)
        }
        return errors.all
    }

    /// Most hosts have the findings of one file, which they share.
    private struct FindingsByHost {
        private(set) var all: [String: [Finding]] = [:]

        mutating func add(_ findings: [Finding], _ host: String) {
            if all[host] == nil { all[host] = findings } else { all[host]? += findings }
        }
    }

    /// The hosts with live files of their own while `config/hosts` cannot be read.
    private var unreadHosts: [String] {
        guard memory.openFindings.hostsFolder != nil else { return [] }
        return memory.folders.filter { $0.value.wellKnown != nil }.map(\.key)
    }

    /// The files with a last good version in unusable folders.
    private var unreadFiles: [String] {
        if memory.openFindings.appFolders.findings.isEmpty { return [] }
        return memory.appFiles.records.filter { path, record in
            record.good != nil && memory.openFindings.appFolders.hides(path)
        }.map(\.key).sorted()
    }

    /// Whether a file's last good version is served. One that another program version saved may be unreadable for this one.
    func isServed(_ path: String) -> Bool {
        guard let good = memory.appFiles[path]?.good else { return false }
        return good.hosts.isEmpty || good.hosts.contains { shelf.tags(of: $0) != nil }
    }

    func figures() -> HostingFigures {
        let appFiles = memory.appFiles
        let unservedCount = appFiles.notInService.count { appFiles[$0]?.good != nil && !isServed($0) }
        var figures = HostingFigures(appFiles: appFiles.goodCount - unservedCount, hosts: shelf.catalogue.siteCount)
        figures.keptHosts = lastGoodReasons(hostsMax: .max).count
        func count(_ state: AppRecord.State) -> Int { appFiles.notInService.count { appFiles[$0]?.state == state } }
        (figures.brokenFiles, figures.heldFiles) = (count(.broken), count(.held))
        (figures.goneFiles, figures.refusedFiles) = (count(.gone), count(.refused))
        figures.unservedFiles = appFiles.notInService.count { !isServed($0) }
        let open = openFindings
        func count(_ severity: Severity) -> Int { open.count { $0.severity == severity } }
        (figures.errors, figures.warnings, figures.notes) = (count(.error), count(.warning), count(.note))
        for counts in memory.hostWarnings.values {
            figures.warnings += Int(counts.warnings)
            figures.notes += Int(counts.notes)
        }
        figures.warnings += appFiles.warningCounts.warnings
        figures.notes += appFiles.warningCounts.notes
        figures.guardedEntries = memory.openFindings.guarded.values.reduce(0, +)
        return figures
    }
}

extension String {
    /// The rest of a path after a folder.
    func below(_ folder: String) -> String? {
        hasPrefix("\(folder)/") ? String(dropFirst(folder.count + 1)) : nil
    }
}
