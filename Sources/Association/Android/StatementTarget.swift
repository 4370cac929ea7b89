// Whom a statement is about.

/// The target of a statement.
public enum StatementTarget: Hashable, Sendable {
    /// An app and the certificates that sign it, as they were written.
    case androidApp(package: LocatedText, fingerprints: [LocatedText])
    case web(site: LocatedText)
    /// Specified, and read by nothing on Android.
    case iOSApp(id: LocatedText)
}
