// The files of one run of `lint`, and all findings about them. A configuration is loaded as `serve` loads it, so the findings are
// those of a server. Each file is read and parsed once, except those that `--fix` changes.

import Association
import AssociationLint
import Certificates
import Hosting
import Posix
import SourceJSON
import Supervision
import Synchronization
import TLS

/// The files of one run.
struct LintedFiles {
    private let arguments: ParsedArguments
    private let forced: DocumentKind?
    private let managedPath: String?
    /// Whether the server is for development: it creates certificates for hosts that have none, and guards no entries.
    private let isDevelopment: Bool
    /// How many hosts a server would serve.
    private(set) var hostCount = 0
    /// The app files whose last good version the server of the state directory serves instead of that on disk.
    private(set) var keptFiles: Set<String> = []
    /// Whether the state directory has the state of another configuration or environment.
    private(set) var findsOtherState = false
    /// The states that were set aside there.
    private(set) var otherStates: [OtherState] = []
    private(set) var problems: [String] = []
    /// Files in directories that have the name of a file to lint, but not its content.
    private var skipped: [String] = []
    /// All findings, each once: by file, then by place.
    private(set) var findings: [Finding] = []
    private var files: [LintedFile] = []
    /// The models of app files by path and environment, each made once; nil for a file with errors.
    private var models: [[String?]: AppFile?] = [:]
    private var directories: Set<FileStatus.Identity> = []
    private var configurations: [GivenConfiguration] = []
    /// The operands in the `apps` of a configuration, by its path. It is read as a whole, because its other files and its settings decide
    /// too, and what concerns an operand is reported. None for a configuration that is an operand itself.
    private var scopes: [String: [String]] = [:]
    /// The operands.
    private var named: [String] = []
    /// The configuration of `--config`, whose preferences apply to files outside the others.
    private let base: GivenConfiguration
    /// The operands in a configuration to which a link leads, each with the directory out of which it leads.
    private var outside: [String: String] = [:]
    /// Files with fixes that are not written.
    private var unwritten: Set<String> = []
    /// The app files that name a host which another folder owns. They are not published, so they share nothing with others.
    private var trespassing: Set<String> = []

    /// - Parameter managedPath: the folder with the manager's certificates.
    init(
        _ arguments: ParsedArguments, forced: DocumentKind? = nil, managedPath: String? = nil,
        isDevelopment: Bool = false
    ) {
        (self.arguments, self.forced, self.managedPath) = (arguments, forced, managedPath)
        self.isDevelopment = isDevelopment
        base = GivenConfiguration(arguments)
    }

    /// The parsed files, for the lines of findings.
    var documents: [String: SourceDocument] {
        let settings = configurations.compactMap { given in given.settingsDocument.map { (given.settingsPath, $0) } }
        return Dictionary(files.map { ($0.path, $0.document) } + settings) { first, _ in first }
    }

    /// Adds a configuration, a directory or a file.
    mutating func add(_ path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        named.append(path)
        let isFolder = Directory.exists(path)
        if let enclosing = addScope(path, isFolder: isFolder) {
            // The findings of the configuration say so.
            if enclosing.leadsOut { return }
            path = enclosing.path
        } else if isFolder, LintedFiles.isConfiguration(path) {
            return addConfiguration(path)
        }
        guard isFolder else { return addFile(path, isNamed: true) }
        do throws(SystemError) { addDirectory(path, in: try Folder(path)) } catch {
            problems.append("cannot read \(path): \(error.reason)")
        }
    }

    private static func isConfiguration(_ path: String) -> Bool {
        ["apps", "hosts"].contains { Directory.exists("\(path)/\($0)") }
            || (try? File.status("\(path)/server.json")) != nil
    }

    private mutating func addConfiguration(_ path: String) {
        let place = ResolvedPath(path).place
        if let known = configurations.first(where: { ResolvedPath($0.path).place == place }) {
            scopes[known.path] = nil
        } else {
            configurations.append(path == base.path ? base : GivenConfiguration(arguments, at: path))
        }
    }

    /// Notes the configuration around an operand, and returns it.
    private mutating func addScope(_ path: String, isFolder: Bool) -> EnclosingConfiguration? {
        guard forced == nil, isFolder || File.exists(path),
            let enclosing = EnclosingConfiguration(around: path, arguments, base: base, known: configurations),
            isFolder || Tenants.isAppFile(String(enclosing.path.split(separator: "/").last ?? ""))
        else { return nil }
        let (root, inside) = (enclosing.given.path, enclosing.path)
        if !configurations.contains(where: { $0.path == root }) {
            configurations.append(enclosing.given)
            scopes[root] = []
        }
        scopes[root]?.append(inside)
        if inside != path {
            outside[inside] = boundary(of: isFolder ? "\(path)/." : path)
            named.append(inside)
        }
        return enclosing
    }

    /// Whether what is found in a file is reported.
    private func isInScope(_ file: String, of given: GivenConfiguration?) -> Bool {
        guard let given, let operands = scopes[given.path] else { return true }
        return operands.contains { file == $0 || file.hasPrefix("\($0)/") }
    }

    /// The findings to report. With errors in the settings, what they decide about a file is not known.
    private func inScope(_ findings: [Finding], of given: GivenConfiguration) -> [Finding] {
        findings.compactMap { finding in
            if isInScope(finding.file, of: given) { return finding }
            guard finding.severity == .error, [given.path, given.settingsPath].contains(finding.file) else {
                return nil
            }
            guard finding.file == given.settingsPath else { return finding }
            // The settings are the operator's, and who asks about a part may be its tenant.
            return Finding(
                rule: finding.rule, severity: .error, file: finding.file, range: nil,
                message: LintRule.named(finding.rule).title, fix: "lint \(given.path) as a whole, which shows more")
        }
    }

    private func configuration(of file: String) -> GivenConfiguration? {
        configurations.first { file.hasPrefix("\($0.path)/") }
    }

    /// Each directory once, even if several links lead to it. Links out of the directory that was named are not followed.
    private mutating func addDirectory(_ path: String, in root: borrowing Folder, _ place: String = ".") {
        guard let status = try? File.status(path), directories.insert(status.identity).inserted else { return }
        for entry in entries(of: path) where !entry.name.hasPrefix(".") || entry.name == ".well-known" {
            let (below, place) = ("\(path)/\(entry.name)", "\(place)/\(entry.name)")
            if File.linkTarget(below) != nil, root.leadsOut(place) { continue }
            switch entry.kind {
            case .directory: addDirectory(below, in: root, place)
            case .file: addFile(below, isNamed: false)
            case .other: continue
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

    /// Adds a file. A file that is named must have a known type; a directory may have others.
    private mutating func addFile(_ path: String, isNamed: Bool) {
        let isLikely =
            [".json", ".json5", ".entitlements", "/AndroidManifest.xml"].contains(where: path.hasSuffix)
            || path.hasSuffix("apple-app-site-association")
        guard isNamed || isLikely, let bytes = read(path) else { return }
        var file = LintedFile(
            bytes, path: path, kind: forced ?? (path.hasSuffix(".entitlements") ? .entitlements : nil))
        if file.kind == .unknown, let kind = LintedFiles.kind(of: path, bytes) {
            file = LintedFile(bytes, path: path, kind: kind)
        }
        if file.kind != .unknown {
            files.append(file)
        } else if isNamed {
            problems.append(
                "unknown file type: \(path) (not an apple-app-site-association file, a statement list, an app file, "
                    + "entitlements or an Android manifest); specify it with --as")
        } else {
            skipped.append(path)
        }
    }

    /// The kind of a file whose content does not show it.
    private static func kind(of path: String, _ bytes: [UInt8]) -> DocumentKind? {
        let name = path.split(separator: "/").last ?? ""
        if name.hasPrefix("apple-app-site-association") { return .appleAssociation }
        if name.hasPrefix("assetlinks") { return .statementList }
        // An empty file is an error in both formats; a directory of its path may show which one was meant.
        guard bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
        return path.contains("assetlinks") ? .statementList : .appleAssociation
    }

    private mutating func read(_ path: String) -> [UInt8]? {
        do throws(Refusal) { return try InputFile.read(path) } catch {
            problems.append(error.message)
            return nil
        }
    }

    /// Applies the edits of all files, one after the other.
    mutating func fix(writes: Bool, showsDifference: Bool) {
        for given in configurations where scopes[given.path] == nil { addAppFiles(of: given) }
        for (index, file) in files.enumerated() where file.kind != .entitlements && file.kind != .androidManifest {
            if file.path == "-" || boundary(of: file.path) != nil { continue }
            let fixed = FixedFile(file)
            if let reason = fixed.refusal { problems.append("cannot fix \(file.path): \(reason)") }
            guard fixed.isChanged else { continue }
            if showsDifference { Console.output(data: Array(fixed.difference.utf8)) }
            guard writes else {
                unwritten.insert(file.path)
                files[index] = fixed.file
                Console.error(line: "\(file.path): would apply \(fixed.summary)")
                continue
            }
            // A tenant may have put a link in its place.
            let owner = configurations.first { file.path.hasPrefix("\($0.path)/apps/") }
            if let owner, owner.appFiles?.bytes(of: file.path) != file.bytes {
                problems.append("cannot fix \(file.path): it has changed meanwhile; run the command again")
                continue
            }
            do throws(SystemError) {
                try fixed.write()
                files[index] = fixed.file
                Console.error(line: "\(file.path): \(fixed.summary)")
            } catch {
                problems.append("cannot write \(file.path): \(error.reason)")
            }
        }
    }

    /// Reads the app files that are not here yet.
    private mutating func addAppFiles(of given: GivenConfiguration) {
        guard let apps = given.appFiles else { return }
        let known = Set(files.map(\.path))
        for path in apps.paths where !known.contains(path) {
            if let bytes = apps.bytes(of: path) { files.append(LintedFile(bytes, path: path, kind: .appFile)) }
        }
    }

    /// Adds a problem if there was nothing to check, which must not look like success.
    mutating func complainIfEmpty(_ paths: [String]) {
        let isEmpty = !files.contains { isInScope($0.path, of: configuration(of: $0.path)) }
        guard isEmpty, hostCount == 0, findings.isEmpty, problems.isEmpty else { return }
        problems.append(
            "there is no app file or association file in \(paths.joined(separator: ", ")); nothing was checked")
    }

    /// Lints everything that was added.
    mutating func lint() {
        var found: [Finding] = []
        for given in configurations { found += inScope(load(given), of: given) }
        let apps = appFiles()
        var ignored: [String: Set<RuleID>] = [:]
        for file in files where isInScope(file.path, of: configuration(of: file.path)) {
            found += file.lint(appFiles: apps)
            guard file.kind == .appFile else { continue }
            let ids = IgnoreComment.rules(in: file.bytes)
            ignored[file.path] = Set(ids.compactMap { RuleID($0.text) })
            found += ids.filter { RuleID($0.text) == nil }.map { LintedFiles.unknownRule($0, in: file.path) }
        }
        for given in configurations { found += inScope(findings(about: given), of: given) }
        var seen: Set<Finding> = []
        let byFile = Dictionary(grouping: found.filter { seen.insert($0).inserted }, by: \.file)
        findings = byFile.sorted { $0.key < $1.key }.flatMap { file, findings in
            let owner = configuration(of: file)
            let sorted = withholding(findings, of: file).sortedInFile
            // Why something is removed comes before that it is.
            let findings = sorted.filter { $0.rule != .app042 } + sorted.filter { $0.rule == .app042 }
            return (owner ?? base).lint.apply(
                to: findings, alsoIgnoring: ignored[file] ?? [],
                keepsErrors: owner != nil || ignored[file] != nil)
        }
    }

    /// The directory out of which a link leads from this file: the working directory, or for files elsewhere the one that was named.
    /// Nil for nearly every file.
    private func boundary(of path: String) -> String? {
        if let (_, root) = outside.first(where: { path == $0.key || path.hasPrefix("\($0.key)/") }) { return root }
        let here = Directory.absolute("")
        var (root, rest) = (".", path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path)
        if rest.hasPrefix("/") || rest.split(separator: "/").contains("..") {
            let folder = named.first { path.hasPrefix("\($0)/") } ?? ResolvedPath.parent(of: path)
            (root, rest) = (folder, String(path.dropFirst(folder.count).drop { $0 == "/" }))
        }
        // Without a link, the file need not be opened again.
        if ResolvedPath("\(root)/\(rest)").changePoints.isEmpty { return nil }
        do throws(SystemError) { return try Folder("\(root)/").leadsOut(rest) ? root : nil } catch { return nil }
    }

    /// Of a file behind such a link only the rules, and no text: a change that is proposed to a repository may contain a link to a
    /// secret of the machine that lints it.
    private func withholding(_ findings: [Finding], of path: String) -> [Finding] {
        let isText = findings.contains { $0.range != nil } || configurations.contains { $0.settingsPath == path }
        guard isText || files.contains(where: { $0.path == path }), let root = boundary(of: path) else {
            return findings
        }
        return findings.map { finding in
            Finding(
                rule: finding.rule, severity: finding.severity, file: path, range: nil,
                message: LintRule.named(finding.rule).title,
                fix:
                    "nothing more is shown, because the file is a link out of \(root == "." ? "the working directory" : root): "
                    + "lint the file that it leads to")
        }
    }

    /// All app files of configurations, in all environments; nil without a configuration or a native file.
    private mutating func appFiles() -> [AppFile]? {
        guard files.contains(where: { $0.kind == .entitlements || $0.kind == .androidManifest }) else { return nil }
        let given = configurations.filter { scopes[$0.path] == nil } + (arguments.has("--config") ? [base] : [])
        let known = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
        let all = given.compactMap(\.appFiles)
        if all.isEmpty { return nil }
        var found: [AppFile] = []
        for (apps, path) in all.flatMap({ apps in apps.paths.map { (apps, $0) } }) {
            // Unreadable files are reported when the configuration itself is linted.
            let read = { apps.bytes(of: path).map { LintedFile($0, path: path, kind: .appFile) } }
            guard let file = known[path] ?? read() else { continue }
            let environments: [String?] = [nil] + (AppFile.environments(in: file.document) ?? [])
            for environment in environments { found += [model(of: file, environment)].compactMap(\.self) }
        }
        return found
    }

    private mutating func model(of file: LintedFile, _ environment: String?) -> AppFile? {
        if let known = models[[file.path, environment]] { return known }
        let model = AppFile.read(file.document, file: file.path, environment: environment).appFile
        models[[file.path, environment]] = .some(model)
        return model
    }

    private static func unknownRule(_ id: LocatedText, in file: String) -> Finding {
        let nearest = RuleID.nearest(to: id.text)
        return Finding(
            rule: .app007, severity: .warning, file: file, range: id.range,
            message: "unknown lint rule `\(id.text)`, so the comment has no effect",
            fix: nearest.map { "write `\($0)`" } ?? "docs/rules.md lists the rules")
    }

    /// Loads a configuration, with its app files. Returns the findings of a server.
    private mutating func load(_ given: GivenConfiguration) -> [Finding] {
        let read = Mutex<[(file: LintedFile, model: AppFile?)]>([])
        var findings = given.findings
        do throws(ConfigurationError) {
            // What is published is no part of an operand inside the configuration.
            let loaded = try given.load(withPublished: scopes[given.path] == nil, managedPath: managedPath) {
                path, bytes, document, model in
                let file = LintedFile(bytes, path: path, kind: .appFile, document: document)
                read.withLock { $0.append((file, model)) }
            }
            // Of files with unwritten fixes, the server has read the old version.
            let served = try served(given)
            // What that server would not publish, because it removes what is live.
            let refused = served?.findings.filter { $0.rule == .app042 && $0.severity == .error } ?? []
            findings += (loaded.findings + loaded.strays + refused).filter { !unwritten.contains($0.file) }
            trespassing.formUnion(findings.lazy.filter { $0.rule == .app046 }.map(\.file))
            keptFiles.formUnion(served?.keptFiles ?? [])
            findsOtherState = findsOtherState || served?.findsOtherState == true
            otherStates += served?.otherStates ?? []
            if scopes[given.path] == nil { hostCount += (served ?? loaded).hosts.count }
            var coverage = CertificateCoverage(
                hostsPath: "\(given.path)/hosts", managedPath: managedPath, links: given.linkTargets,
                isTLSOn: given.speaksTLS && !isDevelopment,
                isOrdered: { given.orders($0) })
            findings += loaded.hosts.compactMap { coverage.problem(for: $0) }.map(Finding.init)
        } catch {
            problems.append("\(error)")
        }
        let known = Set(files.map(\.path))
        for (file, model) in read.withLock({ $0 }) where !known.contains(file.path) {
            files.append(file)
            models[[file.path, given.environment]] = .some(model)
        }
        addAppFiles(of: given)
        return findings
    }

    /// What a server with the given state would serve; nil without one.
    private func served(_ given: GivenConfiguration) throws(ConfigurationError) -> LoadedConfiguration? {
        let state = arguments["--state"] ?? "state"
        return !isDevelopment && Tenants.hasState(state)
            ? try given.load(state: state, withPublished: true, managedPath: managedPath) : nil
    }

    /// Findings that need several files of a configuration, or its certificates.
    private mutating func findings(about given: GivenConfiguration) -> [Finding] {
        let apps = files.filter { $0.kind == .appFile && given.placeInApps($0.path) != nil }
            .sorted { $0.path < $1.path }
        let published = apps.filter { !trespassing.contains($0.path) }
        var findings = self.findings(about: published.compactMap { model(of: $0, given.environment) })
        if let environment = given.environment {
            let names = apps.map { EnvironmentCheck.names(in: $0.bytes, $0.document, environment) }
            findings += [EnvironmentCheck.finding(environment, in: names, of: given.path)].compactMap { $0 }
        }
        findings += AppFileNames.findings(below: "\(given.path)/apps")
        let hosts = "\(given.path)/hosts"
        let folders = Directory.exists(hosts) ? entries(of: hosts).filter { $0.kind == .directory } : []
        if !folders.isEmpty, !Library.isThere {
            Console.complain("the certificates are not checked: \(Library.missing)")
            return findings
        }
        for entry in folders {
            findings += CertificateChecks.problems(
                folder: entry.name, in: hosts, links: given.linkTargets
            ).map(Finding.init)
        }
        return findings
    }

    /// URLs that two apps of a host claim.
    private func findings(about apps: [AppFile]) -> [Finding] {
        var byHost: [String: [AppFile]] = [:]
        for app in apps {
            for host in app.hosts { byHost[host.text, default: []].append(app) }
        }
        return byHost.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.flatMap { host, apps in
            Linter.overlaps(of: Renderer.mergeOrder(apps), host: host)
        }
    }

    /// The numbers of findings and skipped files; empty if nothing could be linted.
    func summary(showsNotes: Bool) -> [String] {
        let isEmpty = files.isEmpty && findings.isEmpty && !problems.isEmpty
        let found = isEmpty ? [] : [FindingDigest.summary(findings, showsNotes: showsNotes)]
        // An app file that is cut off is recognised by its place only.
        let linted = Set(files.map(\.path))
        let skipped = skipped.filter { !linted.contains($0) }
        guard let first = skipped.first else { return found }
        let named = skipped.count == 1 ? ": \(first)" : ", such as \(first)"
        return found + ["skipped \(Count.of(skipped.count, "file")) of unknown type\(named)"]
    }
}

/// Names because of which files are not read. Two may look the same but have different bytes: `é` as one character, or as `e` with a
/// combining accent. A file system keeps them apart, but Swift's strings are equal, so the server sees only one of them.
enum AppFileNames {
    private static let depthMax = 16
    /// Endings in lower case of files that are probably meant as app files.
    private static let similarEndings = [".json", ".json5", ".jsonc", ".json.txt", ".yaml", ".yml", ".toml"]

    static func findings(below folder: String, depth: Int = 0) -> [Finding] {
        guard let entries = try? Directory.entries(folder) else { return [] }
        let names = entries.map(\.name).filter { !$0.hasPrefix(".") }
        let groups = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
        let lookalikes = groups.keys.sorted().map { name in
            Finding(
                rule: .cfg008, severity: .error, file: "\(folder)/\(name)", range: nil,
                message:
                    "\(groups[name]?.count ?? 2) names look like \(name) but consist of different characters "
                    + "(\((groups[name] ?? []).map(spelling).sorted().joined(separator: ", "))), so only one of them is served",
                fix: "rename the others")
        }
        let ignored = names.filter(isSimilar).sorted().map { name in
            Finding(
                rule: .cfg013, severity: .warning, file: "\(folder)/\(name)", range: nil,
                message: "this file is not read, because the names of app files end with .json or .json5",
                fix: "write it in JSON, and rename it")
        }
        let found = lookalikes + ignored
        guard depth < depthMax else { return found }
        // What a link leads to is checked where it is.
        let below = entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map { "\(folder)/\($0.name)" }
        return found + below.filter { File.linkTarget($0) == nil }.flatMap { findings(below: $0, depth: depth + 1) }
    }

    private static func isSimilar(_ name: String) -> Bool {
        !Tenants.isAppFile(name) && similarEndings.contains(where: name.lowercased().hasSuffix)
    }

    /// The code points that are not ASCII.
    private static func spelling(_ name: String) -> String {
        name.unicodeScalars.filter { !$0.isASCII }.map(\.codePoint).joined(separator: " ")
    }
}
