// The `android` part of an app file.

/// What an app file says about the app on Android.
public struct AndroidApp: Sendable {
    public var packages: [AndroidPackage]
    /// In full: `delegate_permission/common.handle_all_urls`.
    public var relations: [String]
    /// Whether the rules are published for Android 15; without them the app's manifest alone decides.
    public var hasDynamicRules: Bool
    public var isInPlayStore: Bool

    public init(
        packages: [AndroidPackage], relations: [String] = [AndroidApp.handleAllURLs], hasDynamicRules: Bool = false,
        isInPlayStore: Bool = true
    ) {
        self.packages = packages
        self.relations = relations
        self.hasDynamicRules = hasDynamicRules
        self.isInPlayStore = isInPlayStore
    }

    /// The relation that opens links, and the only one that dynamic rules belong to.
    public static let handleAllURLs = "delegate_permission/common.handle_all_urls"
}
