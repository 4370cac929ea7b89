// Which files there are to lint, and what is to be said about each. A configuration is loaded as `serve` loads it, so that
// nothing is found here that a server would not find, and nothing the other way round.

import Association
import Hosting
import Posix
import SourceJSON
import TLS

/// What a file is taken for.
enum LintedKind: String, CaseIterable {
    case apple, android, app, entitlements, manifest

    /// By the content, and for a text that shows nothing by the name.
    init?(of bytes: [UInt8], path: String) {
        switch Linter.recognise(bytes) {
        case .appleAssociation, .signedAppleAssociation: self = .apple
        case .statementList: self = .android
        case .appFile: self = .app
        case .entitlements: self = .entitlements
        case .androidManifest: self = .manifest
        case .unknown:
            let name = path.split(separator: "/").last ?? ""
            if name.hasPrefix("apple-app-site-association") {
                self = .apple
            } else if name.hasPrefix("assetlinks") {
                self = .android
            } else if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
                // Whatever it was to be, it says nothing; a folder may still tell which of the two was meant.
                self = path.contains("assetlinks") ? .android : .apple
            } else {
                return nil
            }
        }
    }

    func lint(_ bytes: [UInt8], file: String) -> [Finding] {
        switch self {
        case .apple: Linter.lint(apple: bytes, file: file)
        case .android: Linter.lint(statements: bytes, file: file)
        case .app: AppFile.lint(bytes, file: file)
        case .entitlements: Linter.lint(entitlements: bytes, file: file)
        case .manifest: Linter.lint(manifest: bytes, file: file)
        }
    }

    /// Whether it is read as JSON, which is what fixes are made for.
    var isJSON: Bool { self != .entitlements && self != .manifest }
}

/// The files of one run.
struct LintedFiles {
    private let arguments: ParsedArguments
    private let forced: LintedKind?
    /// What could not be looked at, for a person.
    private(set) var problems: [String] = []
    /// Files of folders that looked like ours by their names and not by their content.
    private var passedOver: [String] = []
    /// Everything there is to say, each thing once: by file, then by place.
    private(set) var findings: [Finding] = []
    /// Files whose kind is known, in the order in which they came.
    private var files: [(path: String, kind: LintedKind)] = []
    private var configurations: [String] = []

    /// No association file is larger; an app file may be, up to this.
    private static let bytesMax = AppFile.bytesMax
    private static let depthMax = 16

    init(_ arguments: ParsedArguments, forced: LintedKind?) {
        self.arguments = arguments
        self.forced = forced
    }

    /// Lints a configuration, a folder or a file.
    mutating func add(_ path: String) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard Directory.exists(path) else { return addFile(path, isNamed: true) }
        if ["apps", "hosts"].contains(where: { Directory.exists("\(path)/\($0)") })
            || (try? File.status("\(path)/server.json")) != nil
        {
            configurations.append(path)
            files += (GivenConfiguration(arguments, at: path).appFiles ?? []).map { ($0, .app) }
        } else {
            addFolder(path, depth: 0)
        }
    }

    private mutating func addFolder(_ path: String, depth: Int) {
        for entry in entries(of: path) where !entry.name.hasPrefix(".") || entry.name == ".well-known" {
            let below = "\(path)/\(entry.name)"
            switch entry.kind {
            case .directory where depth < LintedFiles.depthMax: addFolder(below, depth: depth + 1)
            case .file: addFile(below, isNamed: false)
            default: continue
            }
        }
    }

    private mutating func entries(of path: String) -> [DirectoryEntry] {
        do throws(SystemError) {
            return try Directory.entries(path)
        } catch {
            problems.append("cannot read \(path): \(error.reason)")
            return []
        }
    }

    /// A file that was named has to be one of ours; in a folder there may be others.
    private mutating func addFile(_ path: String, isNamed: Bool) {
        let isLikely =
            [".json", ".json5", ".entitlements", "/AndroidManifest.xml"].contains(where: path.hasSuffix)
            || path.hasSuffix("apple-app-site-association")
        guard isNamed || isLikely else { return }
        guard let bytes = read(path) else { return }
        if let kind = forced ?? LintedKind(of: bytes, path: path) {
            files.append((path, kind))
        } else if !isNamed {
            passedOver.append(path)
        } else {
            problems.append(
                "cannot tell what \(path) is: not an apple-app-site-association file, a statement list, an app file, "
                    + "entitlements or an Android manifest; say it with --as")
        }
    }

    private mutating func read(_ path: String) -> [UInt8]? {
        do throws(FileError) {
            return try File.read(path, bytesMax: LintedFiles.bytesMax).bytes
        } catch {
            problems.append("cannot read \(path): \(error)")
            return nil
        }
    }
}

extension LintedFiles {
    mutating func lint() {
        var found: [Finding] = []
        for (path, kind) in files {
            guard let bytes = read(path) else { continue }
            found += kind.lint(bytes, file: path)
        }
        for path in configurations { found += configurationFindings(path) }
        var seen: Set<Finding> = []
        findings = found.filter { seen.insert($0).inserted }.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            if one.file != other.file { return one.file < other.file }
            let places = (one.range?.start.offset ?? -1, other.range?.start.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }.map(\.element)
    }

    /// What only shows when everything is loaded: hosts that apps share, certificates, settings, pages.
    private mutating func configurationFindings(_ path: String) -> [Finding] {
        let given = GivenConfiguration(arguments, at: path)
        var findings = given.findings
        var served: [String] = []
        do throws(ConfigurationError) {
            let loaded = try given.load()
            findings += loaded.findings
            served = loaded.hosts
        } catch {
            problems.append("\(error)")
        }
        findings += overlaps(below: "\(path)/apps/", environment: given.environment)
        findings += LookalikeNames.findings(below: "\(path)/apps")
        let hosts = "\(path)/hosts"
        guard Directory.exists(hosts) else { return findings }
        for entry in entries(of: hosts) where entry.kind == .directory {
            findings += CertificateChecks.problems(
                folder: entry.name, in: hosts, links: given.linkTargets, passphrase: given.passphrase
            ).map(Finding.init)
        }
        var coverage = CertificateCoverage(hostsPath: hosts, links: given.linkTargets, passphrase: given.passphrase)
        findings += served.compactMap { coverage.problem(for: $0) }.map(Finding.init)
        return findings
    }

    /// Where two apps of one host claim the same URL.
    private mutating func overlaps(below folder: String, environment: String?) -> [Finding] {
        var apps: [String: [AppFile]] = [:]
        for (path, kind) in files where kind == .app && path.hasPrefix(folder) {
            guard let bytes = read(path),
                let app = AppFile.read(bytes, file: path, environment: environment).appFile
            else { continue }
            for host in app.hosts { apps[host.text, default: []].append(app) }
        }
        return apps.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.flatMap { host, apps in
            Renderer.overlaps(of: Renderer.mergeOrder(apps), host: host)
        }
    }

    /// What was found, in numbers.
    var summary: String {
        func count(_ severity: Severity, _ noun: String) -> String {
            Count.of(findings.count { $0.severity == severity }, noun)
        }
        let found = "\(count(.error, "error")), \(count(.warning, "warning")), \(count(.note, "note"))\n"
        guard let first = passedOver.first else { return found }
        return found + "passed over \(Count.of(passedOver.count, "file")) of no known kind, such as \(first)\n"
    }

    /// Applies the edits of all files, one after the other.
    mutating func fix(writes: Bool, showsDifference: Bool) {
        for (path, kind) in files where kind.isJSON {
            guard let bytes = read(path) else { continue }
            let fixed = FixedFile(bytes, path: path, kind: kind)
            if let reason = fixed.refusal { problems.append("cannot fix \(path): \(reason)") }
            guard fixed.isChanged else { continue }
            if showsDifference { Console.output(fixed.difference) }
            guard writes else { continue }
            do throws(SystemError) {
                try fixed.write()
                Console.error("\(path): \(Count.of(fixed.editCount, "fix", "fixes"))\n")
            } catch {
                problems.append("cannot write \(path): \(error.reason)")
            }
        }
    }
}
