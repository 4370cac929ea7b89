// The open findings about tenants' files: what keeps something from being served, as long as it does.

import Association
import Tenancy

struct OpenFindings: Sendable {
    /// Why files are not in service, by path.
    var files: [String: [Finding]] = [:]
    /// The hosts that files name that are not in service, by path.
    var namedHosts: [String: [String]] = [:]
    /// How many live entries each held file would have removed, by path.
    var guarded: [String: Int] = [:]
    /// The digests of published versions that are not in service, by path.
    var publishedDigests: [String: String] = [:]
    /// Why hosts are not served as their files say, by host.
    var hosts: [String: [Finding]] = [:]
    var appFolders = UnusableFolders()
    /// The app files whose removal a file in `config/retired` permits in advance, by path.
    var unguarded: [String: Finding] = [:]
    /// Set while `config/hosts` cannot be read.
    var hostsFolder: Finding?
    /// The files with a finding at the end of the last round.
    private var reportedFiles: Set<String> = []

    /// All open findings, each once: app files first, then hosts, each sorted.
    func all(in source: AppSource) -> [Finding] {
        var seen: Set<Finding> = []
        let ofFiles = files.sorted { $0.key < $1.key }.flatMap { path, found in found.map { (path, $0) } }
        let ofTree = appFolders.all.sorted { ($0.path, $0.finding.file) < ($1.path, $1.finding.file) }
        let all =
            AppFindings.shortened(ofFiles, in: source) + hosts.sorted { $0.key < $1.key }.flatMap(\.value)
            + AppFindings.shortened(ofTree, in: source) + [hostsFolder].compactMap { $0 }
            + unguarded.sorted { $0.key < $1.key }.map(\.value)
        // A finding on a wildcard's file also appears on the hosts below it.
        return all.filter { seen.insert($0).inserted }
    }

    /// The files, sorted, that had a finding at the previous call and have none now.
    mutating func takeFixedFiles() -> [String] {
        var now: Set<String> = []
        // Findings that were only counted are included.
        for findings in [files, hosts].flatMap(\.values) {
            for (index, finding) in findings.enumerated() where index == 0 || findings[index - 1].file != finding.file {
                now.insert(finding.file)
            }
        }
        now.formUnion((appFolders.all.map(\.finding) + unguarded.values).map(\.file))
        if let hostsFolder { now.insert(hostsFolder.file) }
        defer { reportedFiles = now }
        return reportedFiles.subtracting(now).sorted()
    }
}

/// Folders below `config/apps` that cannot be read or exceed their quota. This is kept apart from app files and not saved: a
/// start finds it out again.
struct UnusableFolders: Sendable {
    /// By path; empty for all of `config/apps`.
    private(set) var findings: [String: Finding] = [:]
    /// The published folders that `config/apps` has too, where files are read.
    private var overruled: [String: Finding] = [:]

    var all: [(path: String, finding: Finding)] { (Array(findings) + overruled).map { ($0.key, $0.value) } }

    /// Replaces the findings of the folders that were listed, and returns those that are new.
    mutating func update(
        _ listing: AppTree.Listing, below roots: Set<String>
    ) -> [(path: String, finding: Finding)] {
        let before = self
        func isKept(_ folder: String) -> Bool {
            !roots.contains { $0 == folder || AppTree.isPath(folder, below: $0) }
        }
        findings = findings.filter { isKept($0.key) }.merging(listing.folderProblems) { $1 }
        overruled = overruled.filter { isKept($0.key) }.merging(listing.overruled) { $1 }
        return all.filter { before.findings[$0.path] != $0.finding && before.overruled[$0.path] != $0.finding }
    }

    /// Whether a path is in a folder above its quota.
    func isOverQuota(_ path: String) -> Bool {
        if findings.isEmpty { return false }
        return [TenantID.folder(ofApp: path) ?? "", ""].contains { findings[$0]?.rule == .cfg010 }
    }

    /// Whether a path is in an unusable folder.
    func hides(_ path: String) -> Bool { !findings.isEmpty && AppTree.isPath(path) { findings[$0] != nil } }

    /// The finding on the innermost unusable folder of a path.
    func reason(hiding path: String) -> Finding? {
        findings.keys.sorted().last { AppTree.isPath(path, below: $0) }.flatMap { findings[$0] }
    }
}
