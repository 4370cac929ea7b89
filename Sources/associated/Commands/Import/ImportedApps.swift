// Association files taken apart into apps: one for each list of rules with the builds of an app that have it, one for what
// only shares passwords, and the Android app joined to the iOS app of the same name. Reading is lenient: a file that no phone
// reads, and an id that no app can have, are what somebody imports in order to fix them.

import Association
import AssociationLint
import SourceJSON
import TLS

struct ImportedApps {
    private let hosts: [String]
    private var association: AppleAssociation?
    private var list: StatementList?
    /// What an app file cannot say, or a person should look at.
    private(set) var remarks: [String] = []

    /// What came of a file.
    enum Addition {
        case otherKind
        /// Nothing, because of this.
        case unreadable(Finding?)
        /// Its content; with the reason why phones do not read it.
        case added(unlessFixed: Finding?)
    }

    init(hosts: [String]) { self.hosts = hosts }

    /// Reads a file by its content.
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

    /// Says something once.
    private mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// The app files, in the order in which their rules count.
    /// - Parameter name: what the app is called, if there is one only; the host otherwise.
    mutating func files(name: String?) -> [OutputFile] {
        var apps = appleApps()
        addAndroidApps(to: &apps)
        if apps.count > 1, name != nil { remark("--name is for one app; the files name \(apps.count), see each name") }
        markOverlaps(&apps)
        // Files that share a host are merged by priority, and the order of rules counts.
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
                    "there are dynamic rules for Android; an app file makes them from its links, so compare: "
                        + "dynamicRules is left off")
            }
            let text = app.text(
                name: apps.count == 1 ? name ?? hosts[0] : stem, hosts: hosts, priority: index,
                hasDynamicRules: hasRules)
            return OutputFile(name: "\(stem).json", text: String(decoding: text, as: UTF8.self))
        }
    }

    /// Marks the apps whose links open others too. The imported file says so, and linting what comes of it need not.
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
                        "an app has two entries in details; only the first is taken, as far as is known like on phones")
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

    /// Adds each id to an app with the same rules, if one of its builds or one with the same services is there, and to a
    /// new one otherwise.
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
                    remark("the builds of \(family) have different services; all get those of any of them")
                    apps[index].services += services.filter { !apps[index].services.contains($0) }
                }
                apps[index].appIDs.append(id)
            } else {
                var app = new
                (app.appIDs, app.services) = ([id], services)
                apps.append(app)
            }
            doubt(id, AppID.problems(in: id), what: "app id", in: &apps[index ?? apps.count - 1])
        }
    }

    /// Puts a comment beside what no phone can use.
    private mutating func doubt(_ text: String, _ problems: [TextProblem], what: String, in app: inout ImportedApp) {
        guard let problem = problems.first(where: { $0.severity == .error }) else { return }
        app.doubts[text] = problem.message
        remark("\(text.isEmpty ? "an empty text" : text) is not a valid \(what); it is kept with a comment")
    }

    private func services(of id: String, _ association: AppleAssociation) -> [String] {
        let linked = association.applinks?.details.contains { $0.appIDs.contains { $0.text == id } } == true
        let has = { (apps: AppleServiceApps?) in apps?.apps.contains { $0.text == id } == true }
        return (linked ? ["applinks"] : []) + (has(association.webcredentials) ? ["webcredentials"] : [])
            + (has(association.activitycontinuation) ? ["activitycontinuation"] : [])
    }

    /// Adds each App Clip to the app that its id begins with, or to one that is made for it.
    private mutating func addAppClips(of association: AppleAssociation, to apps: inout [ImportedApp]) {
        for clip in (association.appclips?.apps ?? []).map(\.text) {
            let owner = apps.indices.first { apps[$0].appIDs.contains { clip == $0 || clip.hasPrefix("\($0).") } }
            var index = owner ?? apps.count
            if owner == nil {
                var app = ImportedApp()
                let parent = clip.split(separator: ".", omittingEmptySubsequences: false).dropLast()
                app.appIDs = [parent.count > 2 ? parent.joined(separator: ".") : clip]
                app.doubts[app.appIDs[0]] = "taken from the id of the App Clip; the imported file does not name its app"
                remark("the file does not name the app of the App Clip \(clip); its id is taken from the App Clip's")
                apps.append(app)
                index = apps.count - 1
            }
            apps[index].appClips.append(clip)
            doubt(clip, AppID.problems(in: clip), what: "app id", in: &apps[index])
        }
    }

    /// The rules with everything they inherit written out.
    private mutating func rules(of detail: AppleDetail, _ links: AppleLinks) -> [AppleComponent] {
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        if let components = detail.components {
            if detail.paths != nil {
                remark("an entry has components and paths; the components are taken, and paths are made from them")
            }
            return components.map { $0.inheriting(from: defaults) }
        }
        guard let paths = detail.paths else { return [AppleComponent(path: "*")] }
        return paths.map { AppleComponent(legacyPath: $0.text, defaults: defaults) }
    }

    /// Joins each Android app to the iOS app of its name, or to the only one; the others are apps of their own.
    private mutating func addAndroidApps(to apps: inout [ImportedApp]) {
        let hasOneApp = apps.count == 1
        var packages = androidPackages(&apps)
        let isOneApp = Set(packages.map(\.package.relations)).count == 1
        if hasOneApp, isOneApp, !packages.contains(where: { apps[0].families.contains($0.family) }) {
            remark("treated the iOS and Android apps as one app; its links come from the AASA file")
            for index in packages.indices { packages[index].family = apps[0].families.first ?? "" }
        }
        let firstOwn = apps.count
        for (package, family, doubts) in packages {
            let owner =
                apps.indices.first { apps[$0].families.contains(family) }
                ?? apps.indices.dropFirst(firstOwn).first { apps[$0].relations == package.relations }
            if owner == nil { apps.append(ImportedApp()) }
            let index = owner ?? apps.count - 1
            if !apps[index].packages.isEmpty, apps[index].relations != package.relations {
                remark("the packages of \(family) have different relations; all get those of any of them")
            }
            apps[index].packages.append(package)
            apps[index].doubts.merge(doubts) { first, _ in first }
        }
    }

    /// Each package once, with what all its statements say.
    private mutating func androidPackages(
        _ apps: inout [ImportedApp]
    ) -> [(package: ImportedApp.Package, family: String, doubts: [String: String])] {
        guard let list else { return [] }
        if !list.includes.isEmpty { remark("includes are left out; add what they lead to") }
        var packages: [(package: ImportedApp.Package, family: String, doubts: [String: String])] = []
        for statement in list.statements {
            guard case .androidApp(let name, let fingerprints)? = statement.target else {
                remark("the statement in line \(statement.range.start.line) is not for an Android app, and is left out")
                continue
            }
            var app = ImportedApp()
            doubt(name.text, PackageName.problems(in: name.text), what: "package name", in: &app)
            let prints = fingerprints.map { print in
                if let known = Fingerprint(normalising: print.text) { return known.text }
                doubt(print.text, Fingerprint.problems(in: print.text), what: "SHA-256 fingerprint", in: &app)
                return print.text
            }
            // Rules that Android may throw away are rules nevertheless.
            let rules = statement.malformedRule == nil ? ImportedRules(statement.dynamicRules) : .unreadable
            let relations = statement.relations.map(\.text)
            guard let index = packages.firstIndex(where: { $0.package.name.isIdentical(to: name.text) }) else {
                let package = ImportedApp.Package(
                    name: name.text, relations: relations, fingerprints: [], rules: [rules])
                packages.append((package, ImportedApp.family(of: name.text), app.doubts))
                packages[packages.count - 1].package.add(prints)
                continue
            }
            packages[index].package.rules.append(rules)
            packages[index].package.relations += relations.filter {
                !packages[index].package.relations.contains($0)
            }
            packages[index].package.add(prints)
            packages[index].doubts.merge(app.doubts) { first, _ in first }
        }
        return packages
    }
}

extension ImportedApp.Package {
    fileprivate mutating func add(_ prints: [String]) {
        for print in prints where !fingerprints.contains(print) { fingerprints.append(print) }
    }
}
