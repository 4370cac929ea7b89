// The `pages` part of an app file.

/// How the pages of the app's hosts behave.
public struct PageOptions: Hashable, Sendable {
    /// Any path without a file answers `index.html`.
    public var isSinglePageApp: Bool
    /// A path that a rule includes, without a file, answers the landing page; unless it is set, it does where the other does not.
    public var hasLandingPage: Bool
    /// The sentence under the app's name on the landing page.
    public var tagline: String?

    public init(isSinglePageApp: Bool = false, hasLandingPage: Bool = true, tagline: String? = nil) {
        self.isSinglePageApp = isSinglePageApp
        self.hasLandingPage = hasLandingPage
        self.tagline = tagline
    }
}

extension AppFile {
    /// A note where the landing page has nothing to offer on an iPhone.
    public var pageFinding: Finding? {
        guard let ios, ios.services.contains(.applinks), ios.storeID == nil, scheme == nil, pages.hasLandingPage else {
            return nil
        }
        return Finding(
            .app048, in: self, at: ranges.appIDs.first,
            "there is neither `ios.storeID` nor `scheme`, so the landing page leads to no iOS app",
            fix: "add one of them, or write pages: { landing: false }")
    }
}
