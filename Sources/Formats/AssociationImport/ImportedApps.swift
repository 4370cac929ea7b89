// Splits association files into apps: one for each list of rules, with all builds that have it, and one for ids that only
// share passwords. An Android app joins the iOS app of the same name. Reading is lenient, because users import files in order
// to fix them: also files that phones reject, and ids that no app can have.

package import Association
import AssociationLint
import SourceJSON

package struct ImportedApps {
    private let hosts: [String]
    /// The content of a signed file; nil if it cannot be read.
    private let signedContent: ([UInt8]) -> [UInt8]?
    private var association: AppleAssociation?
    private var list: StatementList?
    /// The files of both.
    private var files: (association: String?, list: String?)
    /// The ids in the files that an app could have, and where.
    private var written: [(id: String, place: String)] = []
    private var noted = DistinctTexts()
    /// Content that an app file cannot express, or that needs the user's attention.
    package var remarks: [String] { noted.texts }
    /// Whether an app, a statement or a rule is in none of the app files.
    package private(set) var hasLoss = false

    /// The result of reading a file, with its errors and warnings.
    package enum Addition {
        case otherKind
        /// Another file of this kind was added before; one host has one of each.
        case secondOfKind(String)
        case unreadable([Finding])
        /// The content was added. `fixes` says what was imported as it was meant.
        case added([Finding], fixes: String?)
    }

    package init(hosts: [String], signedContent: @escaping ([UInt8]) -> [UInt8]?) {
        (self.hosts, self.signedContent) = (hosts, signedContent)
    }

    /// Keys and values that systems ignore: an app file has them as they were meant, or not at all.
    private static let ignoredParts: Set<RuleID> = [.aasa031, .aasa033, .aasa035, .aasa036, .dal027, .dal041, .dal046]

    /// Reads a file; its content shows the type.
    package mutating func add(_ bytes: [UInt8], file: String) -> Addition {
        var original = LintedFile(bytes, path: file)
        if original.kind == .signedAppleAssociation {
            guard let content = signedContent(bytes) else { return .unreadable(original.lint()) }
            remark("\(file) is signed; add signed: true to ios if a client still needs that")
            original = LintedFile(content, path: file, kind: .appleAssociation)
        }
        guard original.kind == .appleAssociation || original.kind == .statementList else { return .otherKind }
        if let first = original.kind == .appleAssociation ? files.association : files.list {
            return .secondOfKind(first)
        }
        let findings = original.lint().filter { $0.severity != .note }
        let fixed = FixedFile(original, isMeant: ImportedApps.ignoredParts.contains)
        let (text, document) = (fixed.file.bytes, fixed.file.document)
        if original.kind == .appleAssociation {
            association = AppleAssociation.read(text, parsed: document, file: file, leniently: true).association
            guard association != nil else { return .unreadable(findings) }
            files.association = file
        } else {
            list = StatementList.read(text, parsed: document, file: file, leniently: true).list
            guard list != nil else { return .unreadable(findings) }
            files.list = file
        }
        if let root = document.value { look(at: root, in: file) }
        for finding in findings where finding.rule == .aasa007 || finding.rule == .dal042 {
            let text =
                "of the duplicate key on line \(finding.range?.start.line ?? 0) of \(file), only the last value was imported"
            // Lost app ids are found by themselves.
            if finding.rule == .dal042 { lose(text) } else { remark(text) }
        }
        return .added(findings, fixes: fixed.isChanged ? fixed.summary : nil)
    }

    /// Notes every app id in a file, wherever it is, and what is no part of the model.
    private mutating func look(at root: SourceValue, in file: String) {
        for member in root.asObject ?? [] where AppleAssociation.otherServices.contains(member.key) {
            remark("skipped the service \(member.key) of \(file), which app files do not have")
        }
        for entry in root.asArray ?? [] where entry.asObject == nil {
            lose("skipped the entry on line \(entry.range.start.line) of \(file), which is not an object")
        }
        var values = [root]
        while let value = values.popLast() {
            switch value.kind {
            case .string(let text): note(text, at: value.range, in: file)
            case .array(let elements): values += elements.reversed()
            case .object(let members):
                // In the form of 2015, ids are keys.
                for member in members { note(member.key, at: member.keyRange, in: file) }
                values += members.reversed().map(\.value)
            default: break
            }
        }
    }

    private mutating func note(_ text: String, at range: SourceRange, in file: String) {
        // Other texts have no dot at this place.
        guard text.utf8.count <= ImportedApps.idBytesMax, text.utf8.dropFirst(10).first == UInt8(ascii: "."),
            !AppID.problems(in: text).contains(where: { $0.severity == .error })
        else { return }
        written.append((text, "\(file), line \(range.start.line)"))
    }

    /// Adds a remark about an app, a statement or a rule that is in none of the app files.
    private mutating func lose(_ text: String) {
        hasLoss = true
        remark(text)
    }

    /// Adds a remark, once.
    private mutating func remark(_ text: String) { noted.add(text) }

    /// The app files, in the order in which their rules apply.
    /// - Parameter name: the name of the app if there is only one; by default the host.
    package mutating func files(name: String?) throws(ImportTooLarge) -> [(name: String, text: String)] {
        var apps = try appleApps()
        addAndroidApps(to: &apps)
        if apps.count > 1, name != nil {
            remark("--name was ignored, because the files name \(apps.count) apps; set each app file's `name`")
        }
        let imported = Set(apps.flatMap { $0.appIDs + $0.appClips }.map(ExactText.init(_:)))
        for (id, place) in written where !imported.contains(ExactText(id)) {
            lose(
                "\(id) (\(place)) is in no app file, because systems do not read it there; add it to one if it is an app of the host"
            )
        }
        markOverlaps(&apps)
        // Files that share a host are merged by priority, and the order of rules matters.
        var stems: [String: Int] = [:]
        return apps.enumerated().map { index, app in
            let named = apps.count == 1 ? name.map(\.fileStem) : nil
            var stem = named ?? app.stem(hosts: hosts)
            stems[stem, default: 0] += 1
            if let number = stems[stem], number > 1 { stem += "-\(number)" }
            let hasRules = app.hasDynamicRules && app.rendersDynamicRules(hosts: hosts)
            if app.hasDynamicRules, !hasRules {
                let packages = app.packages.filter { $0.rules.contains { $0 != nil } }.map(\.name).joined(
                    separator: ", ")
                let lost = LostRules.list(app.packages.flatMap(\.rules).compactMap { $0 }.flatMap(\.texts))
                lose(
                    app.rules.isEmpty
                        ? "the dynamic rules of \(packages) were not imported, because there is no apple-app-site-association file "
                            + "with the same rules: write them as links, then set dynamicRules; lost: \(lost)"
                        : "the dynamic rules of \(packages) differ from the links, so they were not imported: compare both, then "
                            + "set dynamicRules; lost: \(lost)")
            }
            let text = app.text(
                name: (named == nil ? nil : name) ?? stem.prefix(1).uppercased() + stem.dropFirst(), hosts: hosts,
                priority: index,
                hasDynamicRules: hasRules)
            return ("\(stem).json", String(decoding: text, as: UTF8.self))
        }
    }

    /// Marks apps that share URLs with others. The imported file has that overlap too, so lint need not report it.
    private func markOverlaps(_ apps: inout [ImportedApp]) {
        if apps.count < 2 { return }
        let read = apps.enumerated().compactMap { index, app in
            AppFile.read(
                app.text(name: "app", hosts: hosts, priority: index, hasDynamicRules: false), file: "\(index)"
            ).appFile
        }
        for finding in Linter.overlaps(of: read, host: hosts[0]) {
            if let index = Int(finding.file) { apps[index].sharesURLs = true }
        }
    }

    private mutating func appleApps() throws(ImportTooLarge) -> [ImportedApp] {
        guard let association else { return [] }
        var builds = AppleBuilds(association)
        if let links = association.applinks {
            let variables = Dictionary(
                zip(links.variables.map { ExactText($0.name) }, links.variables.indices), uniquingKeysWith: { $1 })
            let legacy = Set(links.details.filter { $0.paths != nil }.flatMap(\.appIDs).map { ExactText($0.text) })
            var firsts: [ExactText: Int] = [:]
            var lost = LostRules(hosts: hosts, imported: [])
            for detail in links.details {
                let ids = detail.appIDs.map(\.text)
                let fresh = ids.filter { builds.isNew($0) }
                if fresh.count < ids.count {
                    let known = ids.filter { !fresh.contains($0) }
                    let text =
                        "\(known[0]) has another entry in details on line \(detail.range.start.line); only the rules of the first "
                        + "were imported, because it is not known whether phones use the second (AASA-023)"
                    let all = try builds.charge(rules(of: detail, links))
                    let missing = lost.of(detail, all, links, in: known.compactMap { firsts[ExactText($0)] })
                    if missing.isEmpty { remark(text) } else { lose("\(text); lost: \(LostRules.list(missing))") }
                }
                if ids.isEmpty {
                    remark("skipped the entry on line \(detail.range.start.line), which names no app")
                }
                if fresh.isEmpty { continue }
                var app = ImportedApp()
                app.hasLegacyPaths = detail.paths != nil || fresh.contains { legacy.contains(ExactText($0)) }
                app.rules = rules(of: detail, links)
                let used = Set(app.rules.flatMap(\.variableNames)).compactMap { variables[$0] }
                app.variables = used.sorted().map { links.variables[$0] }
                try builds.add(fresh, to: app)
                for id in fresh { firsts[ExactText(id)] = lost.imported.count }
                lost.imported.append(app)
                if detail.components != nil, detail.paths != nil {
                    let missing = lost.of(detail, app.rules, links, in: [lost.imported.count - 1])
                    let text =
                        "the entry on line \(detail.range.start.line) has components and paths; only its components were imported; "
                        + "the server generates paths from them"
                    if missing.isEmpty { remark(text) } else { lose("\(text); lost: \(LostRules.list(missing))") }
                }
            }
        }
        let others = [association.webcredentials, association.activitycontinuation].compactMap { $0 }
        let rest = others.flatMap(\.apps).map(\.text).filter { builds.isNew($0) }
        try builds.add(rest, to: ImportedApp())
        var (apps, mixed) = builds.apps()
        for family in mixed {
            remark("the builds of \(family) have different services; in the app file, each build has all of them")
        }
        for index in apps.indices {
            for id in apps[index].appIDs { check(id, AppID.problems(in: id), what: "app id", in: &apps[index]) }
        }
        addAppClips(of: association, to: &apps)
        return apps
    }

    /// Adds a comment to a value that no phone accepts.
    private mutating func check(_ text: String, _ problems: [TextProblem], what: String, in app: inout ImportedApp) {
        guard let problem = problems.first(where: { $0.severity == .error }) else { return }
        app.comments[text] = problem.message
        remark("\(text.isEmpty ? "an empty text" : text) is not a valid \(what); it was imported with a comment")
    }

    /// Adds each App Clip to the app with the longest id that its id begins with, or else to a new app.
    private mutating func addAppClips(of association: AppleAssociation, to apps: inout [ImportedApp]) {
        var owners = Dictionary(
            apps.enumerated().flatMap { index, app in app.appIDs.map { (ExactText($0), index) } },
            uniquingKeysWith: { first, _ in first })
        for clip in (association.appclips?.apps ?? []).map(\.text) {
            let index = ImportedApps.parents(of: clip).lazy.compactMap { owners[$0] }.first ?? apps.count
            if index == apps.count {
                var app = ImportedApp()
                let parent = clip.split(separator: ".", omittingEmptySubsequences: false).dropLast()
                app.appIDs = [parent.count > 2 ? parent.joined(separator: ".") : clip]
                app.comments[app.appIDs[0]] =
                    "taken from the id of the App Clip; the imported file does not name its app"
                remark("the file does not name the app of the App Clip \(clip); its id was taken from the App Clip's")
                owners[ExactText(app.appIDs[0])] = index
                apps.append(app)
            }
            apps[index].appClips.append(clip)
            check(clip, AppID.problems(in: clip), what: "app id", in: &apps[index])
        }
    }

    /// No valid app id is longer, so parts of longer ones need not be looked up.
    private static let idBytesMax = 255

    /// An id and all ids that it begins with, the longest first.
    private static func parents(of id: String) -> [ExactText] {
        var parents: [ExactText] = []
        var rest = id[...]
        while true {
            if rest.utf8.count <= idBytesMax { parents.append(ExactText(String(rest))) }
            guard let dot = rest.utf8.lastIndex(of: UInt8(ascii: ".")) else { return parents }
            rest = rest[..<dot]
        }
    }

    /// The rules, with inherited defaults written out.
    private func rules(of detail: AppleDetail, _ links: AppleLinks) -> [AppleComponent] {
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        if let components = detail.components {
            return components.map { $0.inheriting(from: defaults) }
        }
        guard let paths = detail.paths else { return [AppleComponent(path: "*")] }
        return paths.map { AppleComponent(legacyPath: $0.text, defaults: defaults) }
    }

    /// Adds each Android app to the iOS app of the same name, or to the only one. Others become new apps: one for all that have
    /// the same relations.
    private mutating func addAndroidApps(to apps: inout [ImportedApp]) {
        let packages = androidPackages()
        var owners: [String: Int] = [:]
        for (index, app) in apps.enumerated() {
            for family in app.families { owners[family] = owners[family] ?? index }
        }
        if apps.count == 1, Set(packages.map(\.package.relations.texts)).count == 1,
            !packages.contains(where: { owners[$0.family] != nil })
        {
            remark("treated the iOS and Android apps as one app; its links come from the AASA file")
            for (_, family, _) in packages { owners[family] = 0 }
        }
        var relations: [String: Set<ExactText>] = [:]
        for (package, family, _) in packages where owners[family] == nil {
            relations[family, default: []].formUnion(package.relations.texts.map(ExactText.init(_:)))
        }
        var own: [Set<ExactText>: Int] = [:]
        for (package, family, comments) in packages {
            let index = owners[family] ?? relations[family].flatMap { own[$0] } ?? apps.count
            if index == apps.count { apps.append(ImportedApp()) }
            if let granted = relations[family], owners[family] == nil { own[granted] = index }
            owners[family] = index
            apps[index].packages.append(package)
            apps[index].comments.merge(comments) { first, _ in first }
        }
        for app in apps {
            let count = app.relations.count
            for package in app.packages where package.relations.texts.count < count {
                remark(
                    "the packages of \(ImportedApp.family(of: package.name)) have different relations; in the app file, each "
                        + "package has all of them")
            }
        }
    }

    /// Each package once, with the content of all its statements.
    private mutating func androidPackages() -> [(
        package: ImportedApp.Package, family: String, comments: [String: String]
    )] {
        guard let list else { return [] }
        for include in list.includes {
            let names = hosts.map { " --host \($0.shellWord)" }.joined()
            lose(
                "skipped the include on line \(include.range.start.line); run `associated import "
                    + "\(include.text.shellWord)\(names)` as well")
        }
        var packages: [(package: ImportedApp.Package, family: String, comments: [String: String])] = []
        var places: [ExactText: Int] = [:]
        for statement in list.statements {
            guard case .androidApp(let name, let fingerprints)? = statement.target else {
                let reason =
                    switch statement.target {
                    case .web(let site)?: "is for the site \(site.text)"
                    case .iOSApp(let id)?: "is for the iOS app \(id.text), which nothing on Android reads"
                    default: "names no Android app"
                    }
                lose("skipped the statement on line \(statement.range.start.line), which \(reason)")
                continue
            }
            let index = places[ExactText(name.text)] ?? packages.count
            var app = ImportedApp()
            if index == packages.count {
                places[ExactText(name.text)] = index
                check(name.text, PackageName.problems(in: name.text), what: "package name", in: &app)
                packages.append((ImportedApp.Package(name: name.text), ImportedApp.family(of: name.text), [:]))
            }
            for print in fingerprints {
                let known = Fingerprint(normalising: print.text)?.text
                if known == nil {
                    check(print.text, Fingerprint.problems(in: print.text), what: "SHA-256 fingerprint", in: &app)
                }
                packages[index].package.fingerprints.add(known ?? print.text)
            }
            // Rules that Android may ignore still count as rules.
            let rules = statement.malformedRule == nil ? ImportedRules(statement.dynamicRules) : .unreadable
            packages[index].package.rules.append(rules)
            for relation in statement.relations { packages[index].package.relations.add(relation.text) }
            packages[index].comments.merge(app.comments) { first, _ in first }
        }
        return packages
    }
}
