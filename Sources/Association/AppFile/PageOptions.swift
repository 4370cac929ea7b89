// The `pages` part of an app file.

/// How the pages of the app's hosts behave.
public struct PageOptions: Hashable, Sendable {
    /// Any path without a file answers `index.html`.
    public var isSinglePageApp: Bool
    /// A path that a rule includes, without a file, answers the landing page.
    public var hasLandingPage: Bool
    /// The sentence under the app's name on the landing page.
    public var tagline: String?

    public init(isSinglePageApp: Bool = false, hasLandingPage: Bool = true, tagline: String? = nil) {
        self.isSinglePageApp = isSinglePageApp
        self.hasLandingPage = hasLandingPage
        self.tagline = tagline
    }
}
