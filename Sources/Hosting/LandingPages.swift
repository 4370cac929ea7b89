// The landing pages of all apps: each is made once, however many hosts its app is on.

import Association
import Catalogue

/// Landing pages by the path of the app file.
struct LandingPages {
    private var pages: [String: PreparedLanding] = [:]

    init(_ apps: [LoadedAppFile]) {
        for app in apps { pages[app.appFile.file] = LandingPage.make(for: app.appFile) }
    }

    /// Those of the apps on one host, in the order in which their documents are merged.
    func of(_ apps: [LoadedAppFile]) -> [PreparedLanding] {
        Renderer.mergeOrder(apps.map(\.appFile)).compactMap { pages[$0.file] }
    }
}
