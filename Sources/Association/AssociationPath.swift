// Where the association files of a host are. The places are fixed by those who read the files.

/// The paths of the association files.
public enum AssociationPath {
    public static let apple = "/.well-known/apple-app-site-association"
    /// Where iOS 8 looked, and where current systems do not look.
    public static let appleRoot = "/apple-app-site-association"
    public static let statements = "/.well-known/assetlinks.json"
}
