// Everything that one host is rendered from, as values that refer to no other host.

import Association
import Catalogue
import Settings
import Tenancy

/// An app file in service. A class, because it is large and shared by many hosts.
final class LoadedAppFile: Sendable {
    let appFile: AppFile
    /// The modification time in seconds since 1970.
    let modified: Int64
    /// The landing page of its links, the same on all hosts.
    let landing: PreparedLanding?

    init(_ appFile: AppFile, modified: Int64) {
        (self.appFile, self.modified) = (appFile, modified)
        landing = LandingPage.make(for: appFile)
    }
}

/// Parses the texts of app files.
struct AppSource: Sendable {
    let configPath: String
    let environment: String?
    /// Which hosts the files of a folder may name.
    var owners = HostOwners()
    /// Whether a version that removes live entries is held, unless its file says otherwise.
    var holdsRemovals = true
    /// The findings that are not reported.
    var lint = LintPreferences()
    /// Measures the CPU time of parsing.
    var costs = RoundCosts(isCounting: false)
    /// Called with each file that is read from disk.
    var inspect: AppFileInspector?
    /// The second root of app files, and its folders that count, as a round saw them last.
    var publishedPath: String?
    var publishedFolders: Set<String> = []

    /// The paths of `config/apps` and of the second root in findings.
    var label: String { "\(configPath)/apps" }
    private var publishedLabel: String? { publishedPath.map { "\($0)/apps" } }

    /// The path of an app file or a top folder in findings.
    func file(_ path: String) -> String { "\(isPublished(path) ? publishedLabel ?? label : label)/\(path)" }

    func isPublished(_ path: String) -> Bool {
        !publishedFolders.isEmpty && publishedFolders.contains(TenantID.folder(ofApp: path) ?? path)
    }

    /// The path of an app file by that in findings; nil for another file.
    func path(ofFile file: String) -> String? {
        [label, publishedLabel].lazy.compactMap { $0.flatMap(file.below) }.first
    }

    /// The findings on an app file to report, without those that its comments ignore.
    func reported(_ findings: [Finding], on text: [UInt8]) -> [Finding] {
        if findings.isEmpty { return [] }
        let ignored = Set(IgnoreComment.rules(in: text).compactMap { RuleID($0.text) })
        return lint.apply(to: findings, alsoIgnoring: ignored, keepsErrors: true)
    }

    /// Parses a good version; nil if another program version accepted it and this one cannot read it.
    func load(_ good: AppRecord.GoodVersion, at path: String) -> LoadedAppFile? {
        costs.measure(RoundCosts.folder(ofApp: path)) {
            let reading = AppFile.read(good.text.bytes, file: file(path), environment: environment)
            return reading.appFile.map { LoadedAppFile($0, modified: good.modified) }
        }
    }
}

/// A host to render, with what is in memory for it.
struct SiteJob: Sendable {
    let plan: SitePlan
    /// The plan's apps, except those that cannot be read.
    let apps: [LoadedAppFile]
    /// The known results for its files.
    var known = KnownFiles.none
}

/// Everything read for one host.
struct SiteSource {
    /// Wildcards with their asterisk.
    var host: String
    /// The apps that name the host, in any order.
    var apps: [LoadedAppFile]
    /// Own files; later folders win.
    var folders: [SiteFolder]
}

/// What one folder name adds to a site.
struct SiteFolder {
    var pages = PageSet()
    var wellKnown: WellKnownFiles?
}
