// Splits association files into apps: one for each list of rules, with all builds that have it, and one for ids that only
// share passwords. An Android app joins the iOS app of the same name. Reading is lenient, because users import files in order
// to fix them: also files that phones reject, and ids that no app can have.

import Association
import AssociationLint
import SourceJSON
import TLS

struct ImportedApps {
    private let hosts: [String]
    private var association: AppleAssociation?
    private var list: StatementList?
    /// Content that an app file cannot express, or that needs the user's attention.
    private(set) var remarks: [String] = []

    /// The result of reading a file.
    enum Addition {
        case otherKind
        /// The file cannot be read because of this finding.
        case unreadable(Finding?)
        /// The content was added. Phones reject the file because of this finding, if there is one.
        case added(unlessFixed: Finding?)
    }

    init(hosts: [String]) { self.hosts = hosts }

    /// Reads a file; its content shows the type.
    mutating func add(_ bytes: [UInt8], file: String) -> Addition {
        switch Linter.recognise(bytes) {
        case .signedAppleAssociation:
            guard let content = SignedDocument.content(of: bytes) else {
                return .unreadable(Linter.lint(apple: bytes, file: file).first)
            }
            remark("\(file) is signed; add signed: true to ios if a client still needs that")
            return addAssociation(content, file: file)
        case .appleAssociation: return addAssociation(bytes, file: file)
        case .statementList:
            let reading = StatementList.read(bytes, file: file, leniently: true)
            list = reading.list
            return addition(isRead: reading.list != nil, reading.findings)
        case .appFile, .entitlements, .androidManifest, .unknown: return .otherKind
        }
    }

    private mutating func addAssociation(_ bytes: [UInt8], file: String) -> Addition {
        let reading = AppleAssociation.read(bytes, file: file, leniently: true)
        association = reading.association
        return addition(isRead: reading.association != nil, reading.findings)
    }

    private func addition(isRead: Bool, _ findings: [Finding]) -> Addition {
        let fatal = findings.first(where: \.isFatal)
        return isRead ? .added(unlessFixed: fatal) : .unreadable(fatal ?? findings.first { $0.severity == .error })
    }

    /// Adds a remark, once.
    private mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// The app files, in the order in which their rules apply.
    /// - Parameter name: the name of the app if there is only one; by default the host.
    mutating func files(name: String?) -> [OutputFile] {
        var apps = appleApps()
        addAndroidApps(to: &apps)
        if apps.count > 1, name != nil {
            remark("--name was ignored, because the files name \(apps.count) apps; set each app file's `name`")
        }
        markOverlaps(&apps)
        // Files that share a host are merged by priority, and the order of rules matters.
        var stems: Set<String> = []
        return apps.enumerated().map { index, app in
            var stem = app.stem
            var number = 1
            while !stems.insert(stem).inserted {
                number += 1
                stem = "\(app.stem)-\(number)"
            }
            let hasRules = app.hasDynamicRules && app.rendersDynamicRules(hosts: hosts)
            if app.hasDynamicRules, !hasRules {
                remark(
                    app.rules.isEmpty
                        ? "the dynamic rules for Android were not imported, because there is no apple-app-site-association file "
                            + "with the same rules: write them as links, then set dynamicRules"
                        : "the dynamic rules for Android differ from the links, so they were not imported: compare both, then "
                            + "set dynamicRules")
            }
            let text = app.text(
                name: apps.count == 1 ? name ?? hosts[0] : stem, hosts: hosts, priority: index,
                hasDynamicRules: hasRules)
            return OutputFile(name: "\(stem).json", text: String(decoding: text, as: UTF8.self))
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

    private mutating func appleApps() -> [ImportedApp] {
        guard let association else { return [] }
        var apps: [ImportedApp] = []
        var known: Set<ExactText> = []
        if let links = association.applinks {
            for detail in links.details {
                let ids = detail.appIDs.map(\.text)
                let fresh = ids.filter { known.insert(ExactText($0)).inserted }
                if fresh.count < ids.count {
                    remark(
                        "an app has two entries in details; only the first was imported, because it is not known whether "
                            + "phones use the second (AASA-023)")
                }
                if fresh.isEmpty { continue }
                var app = ImportedApp()
                app.hasLegacyPaths = detail.paths != nil
                app.rules = rules(of: detail, links)
                let used = Set(app.rules.flatMap(\.variableNames))
                app.variables = links.variables.filter { used.contains(ExactText($0.name)) }
                add(fresh, like: app, to: &apps, association)
            }
        }
        let others = [association.webcredentials, association.activitycontinuation].compactMap { $0 }
        let rest = others.flatMap(\.apps).map(\.text).filter { known.insert(ExactText($0)).inserted }
        add(rest, like: ImportedApp(), to: &apps, association)
        addAppClips(of: association, to: &apps)
        return apps
    }

    /// Adds each id to an app with the same rules that has another build of it or the same services, or else to a new app.
    private mutating func add(
        _ ids: [String], like new: ImportedApp, to apps: inout [ImportedApp], _ association: AppleAssociation
    ) {
        let isLinked = association.applinks?.details.contains { $0.appIDs.contains { ids.contains($0.text) } } == true
        let links = new.rules.map { SourceWriter.minified($0.value(includingComment: true)) }
        for id in ids {
            let services = services(of: id, association)
            let family = ImportedApp.family(of: ImportedApp.bundleID(of: id))
            let fitting = apps.indices.filter { index in
                apps[index].services.contains("applinks") == isLinked
                    && apps[index].hasLegacyPaths == new.hasLegacyPaths && apps[index].variables == new.variables
                    && apps[index].rules.map { SourceWriter.minified($0.value(includingComment: true)) } == links
            }
            let index =
                fitting.first { apps[$0].families.contains(family) } ?? fitting.first { apps[$0].services == services }
            if let index {
                if apps[index].services != services {
                    remark(
                        "the builds of \(family) have different services; in the app file, each build has all of them")
                    apps[index].services += services.filter { !apps[index].services.contains($0) }
                }
                apps[index].appIDs.append(id)
            } else {
                var app = new
                (app.appIDs, app.services) = ([id], services)
                apps.append(app)
            }
            check(id, AppID.problems(in: id), what: "app id", in: &apps[index ?? apps.count - 1])
        }
    }

    /// Adds a comment to a value that no phone accepts.
    private mutating func check(_ text: String, _ problems: [TextProblem], what: String, in app: inout ImportedApp) {
        guard let problem = problems.first(where: { $0.severity == .error }) else { return }
        app.comments[text] = problem.message
        remark("\(text.isEmpty ? "an empty text" : text) is not a valid \(what); it was imported with a comment")
    }

    private func services(of id: String, _ association: AppleAssociation) -> [String] {
        let linked = association.applinks?.details.contains { $0.appIDs.contains { $0.text == id } } == true
        let has = { (apps: AppleServiceApps?) in apps?.apps.contains { $0.text == id } == true }
        return (linked ? ["applinks"] : []) + (has(association.webcredentials) ? ["webcredentials"] : [])
            + (has(association.activitycontinuation) ? ["activitycontinuation"] : [])
    }

    /// Adds each App Clip to the app that its id begins with, or else to a new app.
    private mutating func addAppClips(of association: AppleAssociation, to apps: inout [ImportedApp]) {
        for clip in (association.appclips?.apps ?? []).map(\.text) {
            let owner = apps.indices.first { apps[$0].appIDs.contains { clip == $0 || clip.hasPrefix("\($0).") } }
            var index = owner ?? apps.count
            if owner == nil {
                var app = ImportedApp()
                let parent = clip.split(separator: ".", omittingEmptySubsequences: false).dropLast()
                app.appIDs = [parent.count > 2 ? parent.joined(separator: ".") : clip]
                app.comments[app.appIDs[0]] =
                    "taken from the id of the App Clip; the imported file does not name its app"
                remark("the file does not name the app of the App Clip \(clip); its id was taken from the App Clip's")
                apps.append(app)
                index = apps.count - 1
            }
            apps[index].appClips.append(clip)
            check(clip, AppID.problems(in: clip), what: "app id", in: &apps[index])
        }
    }

    /// The rules, with inherited defaults written out.
    private mutating func rules(of detail: AppleDetail, _ links: AppleLinks) -> [AppleComponent] {
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        if let components = detail.components {
            if detail.paths != nil {
                remark(
                    "an entry has components and paths; only its components were imported; the server generates paths from them"
                )
            }
            return components.map { $0.inheriting(from: defaults) }
        }
        guard let paths = detail.paths else { return [AppleComponent(path: "*")] }
        return paths.map { AppleComponent(legacyPath: $0.text, defaults: defaults) }
    }

    /// Adds each Android app to the iOS app of the same name, or to the only one; others become new apps.
    private mutating func addAndroidApps(to apps: inout [ImportedApp]) {
        let hasOneApp = apps.count == 1
        var packages = androidPackages(&apps)
        let isOneApp = Set(packages.map(\.package.relations)).count == 1
        if hasOneApp, isOneApp, !packages.contains(where: { apps[0].families.contains($0.family) }) {
            remark("treated the iOS and Android apps as one app; its links come from the AASA file")
            for index in packages.indices { packages[index].family = apps[0].families.first ?? "" }
        }
        let firstOwn = apps.count
        for (package, family, comments) in packages {
            let owner =
                apps.indices.first { apps[$0].families.contains(family) }
                ?? apps.indices.dropFirst(firstOwn).first { apps[$0].relations == package.relations }
            if owner == nil { apps.append(ImportedApp()) }
            let index = owner ?? apps.count - 1
            if !apps[index].packages.isEmpty, apps[index].relations != package.relations {
                remark(
                    "the packages of \(family) have different relations; in the app file, each package has all of them")
            }
            apps[index].packages.append(package)
            apps[index].comments.merge(comments) { first, _ in first }
        }
    }

    /// Each package once, with the content of all its statements.
    private mutating func androidPackages(
        _ apps: inout [ImportedApp]
    ) -> [(package: ImportedApp.Package, family: String, comments: [String: String])] {
        guard let list else { return [] }
        if !list.includes.isEmpty {
            remark("skipped the includes of the statement list; import the files that they name as well")
        }
        var packages: [(package: ImportedApp.Package, family: String, comments: [String: String])] = []
        for statement in list.statements {
            guard case .androidApp(let name, let fingerprints)? = statement.target else {
                remark("skipped the statement on line \(statement.range.start.line), which is not for an Android app")
                continue
            }
            var app = ImportedApp()
            check(name.text, PackageName.problems(in: name.text), what: "package name", in: &app)
            let prints = fingerprints.map { print in
                if let known = Fingerprint(normalising: print.text) { return known.text }
                check(print.text, Fingerprint.problems(in: print.text), what: "SHA-256 fingerprint", in: &app)
                return print.text
            }
            // Rules that Android may ignore still count as rules.
            let rules = statement.malformedRule == nil ? ImportedRules(statement.dynamicRules) : .unreadable
            let relations = statement.relations.map(\.text)
            guard let index = packages.firstIndex(where: { $0.package.name.isIdentical(to: name.text) }) else {
                let package = ImportedApp.Package(
                    name: name.text, relations: relations, fingerprints: [], rules: [rules])
                packages.append((package, ImportedApp.family(of: name.text), app.comments))
                packages[packages.count - 1].package.add(prints)
                continue
            }
            packages[index].package.rules.append(rules)
            packages[index].package.relations += relations.filter {
                !packages[index].package.relations.contains($0)
            }
            packages[index].package.add(prints)
            packages[index].comments.merge(app.comments) { first, _ in first }
        }
        return packages
    }
}

extension ImportedApp.Package {
    fileprivate mutating func add(_ prints: [String]) {
        for print in prints where !fingerprints.contains(print) { fingerprints.append(print) }
    }
}
