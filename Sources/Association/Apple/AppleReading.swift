// What reading an apple-app-site-association file gives.

/// What reading an apple-app-site-association file gave.
public struct AppleReading: Sendable {
    /// What Apple's systems see in the file; nil where they see nothing, and for a signed file, which is not decoded.
    public let association: AppleAssociation?
    /// In the order of the text.
    public let findings: [Finding]
    public let isSigned: Bool
}
