// Makes one site: documents of its apps, files of its own, pages. A function of its source alone but for signatures, so any
// number of hosts can be made beside each other, in any order, and one again when only that one has changed.

import Association
import Catalogue
import Posix
import TLS

/// What rendering a host gave.
struct RenderedSite: Sendable {
    /// Nil when there is nothing to serve, or nothing that may be published.
    var site: PreparedSite?
    var findings: [Finding] = []
    /// Its documents must not be published.
    var isRefused = false
    /// Paths of documents that were to be there and could not be made.
    var missing: Set<String> = []
    /// What the host has files of its own for that are not served. Something else may stand in for it.
    var withheld = WithheldPaths()
    /// Not even a wildcard may answer for the host.
    var isClosed = false
    /// An app file of it was good for another program, and this one cannot read it.
    var isUnreadable = false
    /// Whether any of its documents is to be signed.
    var isSigned = false
    /// What came of the files in its folders.
    var known = KnownFiles()
    /// How many of them were read.
    var readCount = 0
    /// Whether some of them are still to be compressed.
    var isPartlyPacked = false

    /// Whether there is a site, and nothing to be said or remembered beside it.
    var isPlain: Bool { site != nil && findings.isEmpty && !isSigned && readCount == 0 }

    /// What there is to say to somebody who asks why it is not in service.
    var reasons: [Finding] {
        // A file that is not served may be the reason with no more than a warning, beside errors that are none.
        let reasons = findings.filter { $0.severity == .error || $0.rule == .cfg005 }
        return reasons.isEmpty ? findings : reasons
    }

    /// Remembers what came of the files in folders, for the next time.
    mutating func remember(_ folders: [SiteFolder], in answers: [String: PreparedAnswer]) {
        for folder in folders {
            known.add(folder.pages.made, in: answers)
            known.add(folder.wellKnown?.made ?? [], in: answers)
        }
    }

    /// The entity tag of an answer; nil where there is none.
    func tag(of path: String) -> String? {
        site?.answers.first { $0.path == path }?.answer.identity.entityTag
    }
}

struct SiteRenderer: Sendable {
    private let signer: DocumentSigner

    init(signer: DocumentSigner) { self.signer = signer }

    /// Reads the folders of a host and makes its site. A shortage is thrown.
    func render(_ job: SiteJob, _ folders: HostFolders) throws(SystemError) -> RenderedSite {
        let plan = job.plan
        guard plan.outcome == .made, job.apps.count == plan.apps.count else {
            // A host that would be there but for its file is nothing for a wildcard to answer for.
            let isUnreadable = job.apps.count < plan.apps.count
            return RenderedSite(
                isRefused: isUnreadable, isClosed: isUnreadable || plan.outcome == .closed, isUnreadable: isUnreadable)
        }
        var findings: [Finding] = []
        var own: [SiteFolder] = []
        var isPartlyPacked = false
        for (host, record) in plan.folders.lazy.map({ ($0.host, $0.record) }) {
            var folder = SiteFolder()
            var share = HostShare(folders.limits)
            let name = HostFolders.name(of: host)
            if host == plan.host, let finding = folders.hiddenWellKnown(name) { findings.append(finding) }
            if record.wellKnown != nil {
                folder.wellKnown = try WellKnownFiles(
                    of: name, in: folders, known: job.known, share: &share, findings: &findings)
            }
            if record.pages != nil {
                folder.pages = try PageSet(of: name, in: folders, known: job.known, share: &share, findings: &findings)
            }
            own.append(folder)
            isPartlyPacked = isPartlyPacked || share.packing.isSpent
        }
        var rendered = RenderedSite()
        let files = own.last?.wellKnown
        // Without an app that names it, a host is there for the sake of its own files.
        if plan.wildcard == nil && !job.apps.isEmpty || files?.answers.isEmpty == false {
            rendered = try render(SiteSource(host: plan.host, apps: job.apps, folders: own))
        } else {
            rendered.withheld = files?.withheld ?? WithheldPaths()
            rendered.remember(own, in: [:])
        }
        rendered.findings = findings + rendered.findings
        rendered.isPartlyPacked = isPartlyPacked
        for folder in own {
            rendered.readCount += folder.pages.readCount + (folder.wellKnown?.readCount ?? 0)
        }
        return rendered
    }

    /// Makes a site of what was read. The same gives the same, but for signatures.
    func render(_ source: SiteSource) throws(SystemError) -> RenderedSite {
        var rendered = RenderedSite()
        var answers = pages(source)
        let apps = source.apps
        if !apps.isEmpty, try !addDocuments(source, to: &answers, &rendered) {
            rendered.isRefused = true
            return rendered
        }
        for folder in source.folders {
            rendered.missing.formUnion(folder.pages.refused.union(folder.pages.crowdedOut))
            if folder.pages.isOverShare { rendered.withheld.insertAllPages() }
            guard let wellKnown = folder.wellKnown else { continue }
            rendered.withheld.formUnion(wellKnown.withheld)
            answers.merge(wellKnown.answers) { _, verbatim in verbatim }
        }
        rendered.remember(source.folders, in: answers)
        rendered.missing.subtract(answers.keys)
        let isSinglePageApp = apps.contains { $0.appFile.pages.isSinglePageApp }
        rendered.site = PreparedSite(
            host: source.host, answers: answers.map { ($0.key, $0.value) },
            landings: landings(source, &rendered.findings),
            fallback: isSinglePageApp ? answers["/index.html"] : nil, fallsBackToShared: isSinglePageApp)
        return rendered
    }

    /// The landing pages of the host's apps, made of its own template where it has one.
    private func landings(_ source: SiteSource, _ findings: inout [Finding]) -> [PreparedLanding] {
        let template = source.folders.last { $0.pages.landingTemplate != nil }?.pages.landingTemplate
        if template == nil, source.apps.count == 1 { return [source.apps[0].landing].compactMap { $0 } }
        let pageByFile = Dictionary(source.apps.map { ($0.appFile.file, $0.landing) }) { first, _ in first }
        return Renderer.mergeOrder(source.apps.map(\.appFile)).compactMap { app in
            guard let page = pageByFile[app.file] ?? nil, let template else { return pageByFile[app.file] ?? nil }
            if let own = template.page(for: app, rules: page.rules) { return own }
            findings.append(
                LandingTemplate.finding(
                    template.file,
                    "with the values of \(app.file) the page has more than \(LandingTemplate.filledBytesMax) bytes"))
            return page
        }
    }

    private func pages(_ source: SiteSource) -> [String: PreparedAnswer] {
        var all: [String: PreparedAnswer] = [:]
        for folder in source.folders { all.merge(folder.pages.answers) { _, own in own } }
        // Nothing under this prefix is ever a page: a stray file there would answer for a name that has a meaning.
        return all.filter { !$0.key.hasPrefix(WellKnownFiles.prefix) && $0.key != AssociationPath.appleRoot }
    }

    /// Adds the association files. False when what was rendered must not be published.
    private func addDocuments(
        _ source: SiteSource, to answers: inout [String: PreparedAnswer], _ rendered: inout RenderedSite
    ) throws(SystemError) -> Bool {
        let apps = source.apps
        let documents = Renderer.documents(for: Renderer.mergeOrder(apps.map(\.appFile)), host: source.host)
        rendered.findings += documents.findings
        if documents.findings.contains(where: { $0.severity == .error }) { return false }
        let modified = apps.map(\.modified).max() ?? 0
        func answer(_ kind: AnswerKind, _ bytes: [UInt8]) -> PreparedAnswer {
            AnswerMaker.answer(
                Document(
                    kind: kind, contentType: "application/json", content: .bytes(bytes),
                    cacheSeconds: documents.cacheSeconds, modified: modified))
        }
        if let bytes = documents.appleBytes {
            let plain = answer(.appleAssociation, bytes)
            var signed: PreparedAnswer?
            if documents.signing != .none {
                rendered.isSigned = true
                signed = try SignedAnswer(host: source.host, apps: apps, cacheSeconds: documents.cacheSeconds)
                    .make(bytes, by: signer, &rendered.findings)
            }
            // What is to be signed and cannot be is not there, not even unsigned, nor as a page of that name.
            answers[AssociationPath.apple] = documents.signing == .everywhere ? signed : plain
            answers[AssociationPath.appleRoot] = documents.signing == .none ? plain : signed
            rendered.missing = [AssociationPath.apple, AssociationPath.appleRoot]
        }
        if let bytes = documents.statementBytes {
            answers[AssociationPath.statements] = answer(.statementList, bytes)
        }
        return true
    }
}

/// What a host has files for and does not serve: they cannot be read, or would be refused by those who fetch them. Something
/// else may stand in for it, but not for what was live.
/// Paths of a site, and folders of paths.
struct WithheldPaths: Sendable {
    private var paths: Set<String> = []
    /// Each with a slash behind it.
    private var folders: [String] = []
    /// Whether it is all of the host's pages.
    private var areAllPages = false

    var isEmpty: Bool { paths.isEmpty && folders.isEmpty && !areAllPages }

    mutating func insert(_ path: String) { paths.insert(path) }

    mutating func insert(folder: String) { folders.append(folder) }

    mutating func insertAllPages() { areAllPages = true }

    mutating func formUnion(_ other: WithheldPaths) {
        paths.formUnion(other.paths)
        folders += other.folders
        areAllPages = areAllPages || other.areAllPages
    }

    func contains(_ path: String) -> Bool {
        // The copy at the root is made of the file in the folder.
        let path = path == AssociationPath.appleRoot ? AssociationPath.apple : path
        if areAllPages, !path.hasPrefix(WellKnownFiles.prefix) { return true }
        return paths.contains(path) || folders.contains { path.hasPrefix($0) }
    }
}
