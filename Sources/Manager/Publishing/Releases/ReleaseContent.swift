// What a release consists of, and what is checked before anything of it is stored: the files as the server will read them, the hosts that
// they name, and what they would take away.

import Association
import AssociationLint
import Posix
import SourceJSON
import TLS

/// The app files of a tenant, by name.
struct ReleaseContent: Sendable, Equatable {
    var files: [String: [UInt8]] = [:]

    static let fileBytesMax = 1 << 20
    static let filesMax = 256
    /// As much as a server reads of a folder of app files.
    static let bytesMax = 16 << 20

    var byteCount: Int { files.values.reduce(0) { $0 + $1.count } }

    static func isName(_ name: String) -> Bool { NameRule.file.allows(name) }

    static func digest(_ bytes: [UInt8]) -> String { Digest.hexadecimal(Digest.sha256(bytes)) }

    /// Each file with its digest, by name.
    var digests: [(name: String, digest: String)] {
        files.sorted { $0.key < $1.key }.map { ($0.key, Self.digest($0.value)) }
    }

    /// The files that can be read.
    /// - Parameter environment: that of the servers.
    func apps(of tenant: String, environment: String?) -> [AppFile] {
        files.sorted { $0.key < $1.key }.compactMap { name, bytes in
            AppFile.read(AppFile.parse(bytes), file: "\(tenant)/\(name)", environment: environment).appFile
        }
    }

    /// The files, and what is wrong with them.
    /// - Parameter environment: that of the servers.
    func read(tenant: String, environment: String?) -> (apps: [AppFile], findings: [Finding]) {
        var (apps, findings): ([AppFile], [Finding]) = ([], [])
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let path = "\(tenant)/\(name)"
            let document = AppFile.parse(bytes)
            let reading = AppFile.read(document, file: path, environment: environment)
            // The server publishes no file with an error of its reader; lint knows more.
            findings += reading.appFile == nil ? reading.findings : AppFile.lint(document, file: path)
            if let app = reading.appFile { apps.append(app) }
        }
        return (apps, findings)
    }

    /// What is wrong between the files that name one host. Hosts with the same files have the same findings.
    static func findings(betweenFiles apps: [AppFile]) -> [Finding] {
        var files: [String: [Int]] = [:]
        for (index, app) in apps.enumerated() {
            for host in Set(app.hosts.map(\.text)) { files[host, default: []].append(index) }
        }
        let shared = files.filter { $0.value.count > 1 }
        let hosts = Dictionary(shared.map { ($0.value, $0.key) }) { min($0, $1) }
        return hosts.sorted { $0.value < $1.value }.flatMap { indices, host in
            Renderer.documents(for: Renderer.mergeOrder(indices.map { apps[$0] }), host: host).findings
        }
    }
}

/// What checking a change has found.
struct ReleaseReport {
    private(set) var findings: [Finding]
    /// What changes for phones; nil if the files have errors.
    private(set) var difference: AssociationDifference?
    /// The hosts whose file for Apple changes.
    private(set) var appleHosts: [String] = []
    /// That the new files name.
    let hosts: Set<String>

    /// - Parameters:
    ///   - lastDay: what was live a day ago. What is younger may be a mistake, which is undone without ceremony.
    ///   - environment: that of the servers.
    init(
        of content: ReleaseContent, replacing live: ReleaseContent, lastDay: ReleaseContent, tenant: String,
        environment: String?
    ) {
        func apps(_ content: ReleaseContent) -> [AppFile] { content.apps(of: tenant, environment: environment) }
        let (new, found) = content.read(tenant: tenant, environment: environment)
        findings = found + ReleaseContent.findings(betweenFiles: new)
        hosts = Set(new.flatMap { $0.hosts.map(\.text) })
        if hasErrors { return }
        // To say in a file that something may go is to retire it, for which the request has a member.
        func guarded(_ apps: [AppFile]) -> [AppFile] {
            apps.map { app in
                var app = app
                (app.removalGuard, app.retired) = (.block, RetiredIdentities())
                return app
            }
        }
        let before = guarded(apps(live))
        let recent = Set(before.flatMap(LiveIdentity.all)).subtracting(apps(lastDay).flatMap(LiveIdentity.all))
        let (old, next) = (
            PublishedHosts(appFiles: before), PublishedHosts(appFiles: guarded(new), retiredEntries: recent)
        )
        difference = AssociationDifference(from: old, to: next)
        appleHosts = next.hostsWithNewAppleFile(since: old)
    }

    var hasErrors: Bool { findings.contains { $0.severity == .error } }

    private static let findingsMax = 500

    /// The members of an answer.
    var members: [(String, SourceValue)] {
        [
            ("findings", .array(findings.prefix(Self.findingsMax).map(FindingFormat.value))),
            ("difference", difference?.value ?? .null),
        ]
    }
}
