// What is wrong with what tenants have put there and is not what is served, for as long as it is so.

import Association

struct TroubleBook: Sendable {
    /// What is wrong with the files that are not what is served, by path.
    var files: [String: [Finding]] = [:]
    /// How many live facts each file that is held back would have dropped, by path.
    var guarded: [String: Int] = [:]
    /// What is wrong with the hosts that are not as their files would have them, by host.
    var hosts: [String: [Finding]] = [:]
    var tree = TreeTroubles()
    /// Why nothing in `config/hosts` can be looked at, while that is so.
    var hostsFolder: Finding?
    /// The files that findings stood about at the end of the last round.
    private var troubledFiles: Set<String> = []

    /// What keeps something from being served at this moment, app files first, each in the order of their names: what was
    /// reported and is still so.
    /// - Parameter label: the path of `config/apps`.
    func standing(in label: String) -> [Finding] {
        var seen: Set<Finding> = []
        var (ofFiles, ofTree) = (AppFindings(), AppFindings())
        for (path, findings) in files.sorted(by: { $0.key < $1.key }) {
            for finding in findings { ofFiles.append(finding, at: path) }
        }
        for (path, finding) in tree.findings.sorted(by: { $0.key < $1.key }) { ofTree.append(finding, at: path) }
        let all =
            ofFiles.all(in: label) + hosts.sorted { $0.key < $1.key }.flatMap(\.value) + ofTree.all(in: label)
            + [hostsFolder].compactMap { $0 }
        // The files of a wildcard are those of hosts below it too.
        return all.filter { seen.insert($0).inserted }
    }

    /// The files, in order, that findings stood about when this was asked last, and do not any more.
    mutating func takeMended() -> [String] {
        var now: Set<String> = []
        // Those that are only counted are among them.
        for findings in [files, hosts].flatMap(\.values) {
            for (index, finding) in findings.enumerated() where index == 0 || findings[index - 1].file != finding.file {
                now.insert(finding.file)
            }
        }
        now.formUnion(tree.findings.values.map(\.file))
        if let hostsFolder { now.insert(hostsFolder.file) }
        defer { troubledFiles = now }
        return troubledFiles.subtracting(now).sorted()
    }
}

/// Folders below `config/apps` that cannot be looked into. That is no file's fault and does not outlast its cause, so it is kept
/// beside what is known of files, and only while the process lives: a start finds it out by itself.
struct TreeTroubles: Sendable {
    /// By path; an empty one is all of it.
    private(set) var findings: [String: Finding] = [:]

    /// Takes up what a listing of some folders has found. What is in the others stays as it is.
    mutating func update(_ found: [String: Finding], below roots: Set<String>) {
        findings = findings.filter { folder, _ in !roots.contains { $0 == folder || AppTree.isPath(folder, below: $0) }
        }
        findings.merge(found) { $1 }
    }

    /// Whether a path is in a folder that has more than its share, so that nothing of it takes effect.
    func isOverShare(_ path: String) -> Bool {
        if findings.isEmpty { return false }
        return [AppTree.topFolder(of: path) ?? "", ""].contains { findings[$0]?.rule == .cfg010 }
    }

    /// Whether a path is in a folder that cannot be looked into.
    func hides(_ path: String) -> Bool { !findings.isEmpty && AppTree.isPath(path) { findings[$0] != nil } }

    /// Why a path cannot be looked at.
    func reason(hiding path: String) -> Finding? {
        findings.keys.sorted().last { AppTree.isPath(path, below: $0) }.flatMap { findings[$0] }
    }
}
