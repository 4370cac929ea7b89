// What one host is made of, as values: whoever has them can render the host without knowing of any other host.

import Association
import Catalogue

/// An app file that can be served. A class, because it has many parts and is handed around by the hundred thousand.
final class LoadedAppFile: Sendable {
    let appFile: AppFile
    /// Seconds since 1970 of its last change.
    let modified: Int64
    /// The page for its links; the same on all of its hosts.
    let landing: PreparedLanding?

    init(_ appFile: AppFile, modified: Int64) {
        self.appFile = appFile
        self.modified = modified
        landing = LandingPage.make(for: appFile)
    }
}

/// Reads the texts of app files.
struct AppSource: Sendable {
    let configPath: String
    let environment: String?
    /// Which hosts the files of a folder may name.
    var owners = HostOwners()
    /// What loading costs the round.
    var costs = RoundCosts(isCounting: false)

    /// The folder of app files, as findings call it.
    var label: String { "\(configPath)/apps" }

    /// How a file is called in findings.
    func file(_ path: String) -> String { "\(label)/\(path)" }

    /// What a version says that was good once; nil where this program cannot read what another one could.
    func load(_ good: AppRecord.GoodVersion, at path: String) -> LoadedAppFile? {
        costs.measure(RoundCosts.folder(ofApp: path)) {
            let reading = AppFile.read(good.text.bytes, file: file(path), environment: environment)
            return reading.appFile.map { LoadedAppFile($0, modified: good.modified) }
        }
    }
}

/// One site to be made, with all that is in memory for it.
struct SiteJob: Sendable {
    let plan: SitePlan
    /// Those of the plan, as far as they can be read.
    let apps: [LoadedAppFile]
    /// What is known of the files in the folders.
    var known = KnownFiles.none
}

/// The same with all that was read for it.
struct SiteSource {
    /// With its asterisk, when it is a wildcard.
    var host: String
    /// The apps that name the host, in any order.
    var apps: [LoadedAppFile]
    /// What a site has of its own; where two have the same path, the later one wins.
    var folders: [SiteFolder]
}

/// What the folders of one name add to a site.
struct SiteFolder {
    var pages = PageSet()
    var wellKnown: WellKnownFiles?
}
