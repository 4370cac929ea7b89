// What one host is made of, as values: whoever has them can render the host without another look at the disk, and without
// knowing of any other host.

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

/// One site to be made.
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
