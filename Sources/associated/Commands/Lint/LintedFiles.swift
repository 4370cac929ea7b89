// Which files to lint, and the findings on each. A configuration is loaded as `serve` loads it, so that
// nothing is found here that a server would not find, and nothing the other way round.

import Association
import AssociationLint
import Hosting
import Posix
import SourceJSON
import TLS

/// What a file is taken for.
enum LintedKind: String, CaseIterable {
    case apple, android, app, entitlements, manifest

    /// By the content, and for a text that shows nothing by the name.
    init?(of bytes: [UInt8], path: String) {
        switch path.hasSuffix(".entitlements") ? .entitlements : Linter.recognise(bytes) {
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

    /// - Parameter appHosts: the hosts of all app files, for the files of native projects.
    func lint(_ bytes: [UInt8], file: String, appHosts: [HostPattern]? = nil) -> [Finding] {
        switch self {
        case .apple: Linter.lint(apple: bytes, file: file)
        case .android: Linter.lint(statements: bytes, file: file)
        case .app: AppFile.lint(bytes, file: file)
        case .entitlements: Linter.lint(entitlements: bytes, file: file, appHosts: appHosts)
        case .manifest: Linter.lint(manifest: bytes, file: file, appHosts: appHosts)
        }
    }

    /// Whether it is read as JSON, which is what fixes are made for.
    var isJSON: Bool { self != .entitlements && self != .manifest }
}

/// The files of one run.
struct LintedFiles {
    private let arguments: ParsedArguments
    private let forced: LintedKind?
    /// How many hosts a server would serve.
    private(set) var hostCount = 0
    /// What could not be looked at, for a person.
    private(set) var problems: [String] = []
    /// Files of folders that looked like ours by their names and not by their content.
    private var passedOver: [String] = []
    /// Everything there is to say, each thing once: by file, then by place.
    private(set) var findings: [Finding] = []
    /// Files whose kind is known, in the order in which they came.
    private var files: [(path: String, kind: LintedKind)] = []
    /// The directories that were looked into.
    private var folders: Set<FileStatus.Identity> = []
    private var configurations: [GivenConfiguration] = []
    /// What is wanted of files outside the configurations.
    private let preferences: LintPreferences
    /// The texts of files with their fixes, where those are not written.
    private(set) var fixedTexts: [String: [UInt8]] = [:]

    /// No association file is larger; an app file may be, up to this.
    private static let bytesMax = AppFile.bytesMax

    init(_ arguments: ParsedArguments, forced: LintedKind?) {
        self.arguments = arguments
        self.forced = forced
        preferences = GivenConfiguration(arguments).lint
    }

    /// Lints a configuration, a folder or a file.
    mutating func add(_ path: String) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard Directory.exists(path) else { return addFile(path, isNamed: true) }
        if ["apps", "hosts"].contains(where: { Directory.exists("\(path)/\($0)") })
            || (try? File.status("\(path)/server.json")) != nil
        {
            let given = GivenConfiguration(arguments, at: path)
            configurations.append(given)
            files += (given.appFiles ?? []).map { ($0, .app) }
        } else {
            addFolder(path)
        }
    }

    /// Each directory once, however many links lead to it.
    private mutating func addFolder(_ path: String) {
        guard let status = try? File.status(path), folders.insert(status.identity).inserted else { return }
        for entry in entries(of: path) where !entry.name.hasPrefix(".") || entry.name == ".well-known" {
            let below = "\(path)/\(entry.name)"
            switch entry.kind {
            case .directory: addFolder(below)
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
                "unknown file type: \(path) (not an apple-app-site-association file, a statement list, an app file, "
                    + "entitlements or an Android manifest); specify it with --as")
        }
    }

    private mutating func read(_ path: String) -> [UInt8]? {
        if let text = fixedTexts[path] { return text }
        do throws(Refusal) { return try InputFile.read(path, bytesMax: LintedFiles.bytesMax) } catch {
            problems.append(error.message)
            return nil
        }
    }

    mutating func lint() {
        var found: [Finding] = []
        var ignored: [String: Set<RuleID>] = [:]
        let appHosts = files.contains { !$0.kind.isJSON } ? appHosts : nil
        for (path, kind) in files {
            guard let bytes = read(path) else { continue }
            found += kind.lint(bytes, file: path, appHosts: appHosts)
            guard kind == .app else { continue }
            let named = IgnoreComment.rules(in: bytes)
            ignored[path] = Set(named.compactMap { RuleID($0.text) })
            found += named.filter { RuleID($0.text) == nil }.map { LintedFiles.unknownRule($0, in: path) }
        }
        for given in configurations {
            // What a server would say of a file that would be fixed is said of the fixed one.
            found += configurationFindings(given).filter { fixedTexts[$0.file] == nil }
        }
        var seen: Set<Finding> = []
        let byFile = Dictionary(grouping: found.filter { seen.insert($0).inserted }, by: \.file)
        let appFiles = Set(files.filter { $0.kind == .app }.map(\.path))
        findings = byFile.sorted { $0.key < $1.key }.flatMap { file, findings in
            let owner = configurations.first { file.hasPrefix($0.path + "/") }
            return (owner?.lint ?? preferences).apply(
                to: findings.sortedInFile, alsoIgnoring: ignored[file] ?? [],
                keepsErrors: owner != nil || appFiles.contains(file))
        }
    }

    /// The hosts of the configurations that were named, in all environments; nil where none was.
    private var appHosts: [HostPattern]? {
        let given = configurations + (arguments.has("--config") ? [GivenConfiguration(arguments)] : [])
        let paths = given.compactMap(\.appFiles)
        if paths.isEmpty { return nil }
        return paths.joined().flatMap { path -> [HostPattern] in
            // What cannot be read is reported where the configuration itself is linted.
            guard let bytes = try? File.read(path, bytesMax: LintedFiles.bytesMax).bytes else { return [] }
            let environments: [String?] = [nil] + (AppFile.environments(in: bytes) ?? [])
            return environments.flatMap { AppFile.read(bytes, file: path, environment: $0).appFile?.hosts ?? [] }
        }
    }

    private static func unknownRule(_ id: LocatedText, in file: String) -> Finding {
        let nearest = RuleID.nearest(to: id.text)
        return Finding(
            rule: .app007, severity: .warning, file: file, range: id.range,
            message: "unknown lint rule `\(id.text)`, so the comment has no effect",
            fix: nearest.map { "write `\($0)`" } ?? "docs/rules.md lists the rules")
    }

    /// What only shows when everything is loaded: hosts that apps share, certificates, settings, pages.
    private mutating func configurationFindings(_ given: GivenConfiguration) -> [Finding] {
        let path = given.path
        var findings = given.findings
        if let finding = given.environmentFinding { findings.append(finding) }
        var served: [String] = []
        do throws(ConfigurationError) {
            let loaded = try given.load()
            findings += loaded.findings + loaded.strays
            served = loaded.hosts
            hostCount += served.count
        } catch {
            problems.append("\(error)")
        }
        findings += appFindings(below: "\(path)/apps/", environment: given.environment)
        findings += LookalikeNames.findings(below: "\(path)/apps")
        findings += LintedFiles.retiredBesideLive(given)
        let hosts = "\(path)/hosts"
        for entry in Directory.exists(hosts) ? entries(of: hosts) : [] where entry.kind == .directory {
            findings += CertificateChecks.problems(
                folder: entry.name, in: hosts, links: given.linkTargets, passphrase: given.passphrase
            ).map(Finding.init)
        }
        var coverage = CertificateCoverage(
            hostsPath: hosts, links: given.linkTargets, passphrase: given.passphrase, isTLSOn: given.speaksTLS)
        findings += served.compactMap { coverage.problem(for: $0) }.map(Finding.init)
        return findings
    }

    /// Files of `retired` beside a live one of their name: the removal guard takes each for the confirmation that it waits for.
    private static func retiredBesideLive(_ given: GivenConfiguration) -> [Finding] {
        (given.appFiles ?? []).compactMap { live in
            let retired = "\(given.path)/retired/\(live.dropFirst("\(given.path)/apps/".count))"
            guard (try? File.status(retired)) != nil else { return nil }
            return Finding(
                rule: .cfg012, severity: .warning, file: retired, range: nil,
                message: "a live app file has the same name, so the removal guard does not protect it",
                fix: "remove \(retired)")
        }
    }

    /// Where two apps of one host claim the same URL, and what their pages lack.
    private mutating func appFindings(below folder: String, environment: String?) -> [Finding] {
        var apps: [String: [AppFile]] = [:]
        var notes: [Finding] = []
        for (path, kind) in files where kind == .app && path.hasPrefix(folder) {
            guard let bytes = read(path),
                let app = AppFile.read(bytes, file: path, environment: environment).appFile
            else { continue }
            for host in app.hosts { apps[host.text, default: []].append(app) }
            notes += [app.pageFinding].compactMap { $0 }
        }
        return notes
            + apps.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.flatMap { host, apps in
                Linter.overlaps(of: Renderer.mergeOrder(apps), host: host)
            }
    }

    /// What was found, in numbers; nothing where there was nothing to look at.
    func summary(showsNotes: Bool) -> [String] {
        if files.isEmpty, configurations.isEmpty, passedOver.isEmpty, !problems.isEmpty { return [] }
        let found = FindingFormat.summary(findings, showsNotes: showsNotes)
        guard let first = passedOver.first else { return [found] }
        return [found, "skipped \(Count.of(passedOver.count, "file")) of unknown type, such as \(first)"]
    }

    /// Applies the edits of all files, one after the other.
    mutating func fix(writes: Bool, showsDifference: Bool) {
        for (path, kind) in files where kind.isJSON {
            guard let bytes = read(path) else { continue }
            let fixed = FixedFile(bytes, path: path, kind: kind)
            if let reason = fixed.refusal { problems.append("cannot fix \(path): \(reason)") }
            guard fixed.isChanged else { continue }
            if showsDifference { Console.output(data: Array(fixed.difference.utf8)) }
            guard writes else {
                fixedTexts[path] = fixed.text
                Console.error(line: "\(path): would apply \(fixed.summary)")
                continue
            }
            do throws(SystemError) {
                try fixed.write()
                Console.error(line: "\(path): \(fixed.summary)")
            } catch {
                problems.append("cannot write \(path): \(error.reason)")
            }
        }
    }
}

/// Names in one folder that differ in their bytes alone: `é` as one character, and as `e` with a combining accent. A file system
/// keeps them apart, but texts compare as equal, so the server sees only one of them.
enum LookalikeNames {
    private static let depthMax = 16

    /// A finding for each name below a folder that another one looks like.
    static func findings(below folder: String, depth: Int = 0) -> [Finding] {
        guard let entries = try? Directory.entries(folder) else { return [] }
        let names = entries.map(\.name).filter { !$0.hasPrefix(".") }
        let groups = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
        let found = groups.keys.sorted().map { name in
            Finding(
                rule: .cfg008, severity: .error, file: "\(folder)/\(name)", range: nil,
                message:
                    "\(groups[name]?.count ?? 2) names look like \(name) but consist of different characters "
                    + "(\((groups[name] ?? []).map(spelling).sorted().joined(separator: ", "))), so only one of them is served",
                fix: "rename the others")
        }
        guard depth < depthMax else { return found }
        return found
            + entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.flatMap {
                findings(below: "\(folder)/\($0.name)", depth: depth + 1)
            }
    }

    /// What is not ASCII, by its code points.
    private static func spelling(_ name: String) -> String {
        name.unicodeScalars.filter { !$0.isASCII }.map { scalar in
            let hex = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        }.joined(separator: " ")
    }
}
