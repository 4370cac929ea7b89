// `passkeys` of an app file: one key for the four files that passkeys on a domain of one's own need. The ids and certificates are those
// of the apps; the key adds where accounts manage their passkeys, and which other origins may use them.

import SourceJSON

/// The passkeys of an app's hosts.
public struct Passkeys: Hashable, Sendable {
    /// The pages for password managers, by the keys of `passkey-endpoints`; each an https URL.
    public var pages: [String: String] = [:]
    /// Other origins that may use the passkeys, as in `webauthn`.
    public var origins: [String] = []

    /// In the order in which they are written.
    public static let pageKeys = ["enroll", "manage", "prfUsageDetails"]
    /// The different names of origins that browsers accept (WebAuthn Level 3 §5.11.1).
    public static let labelsMax = 5

    /// The label before the public suffix of an https origin; nil if it is none. Two short labels at the end count as one suffix, such
    /// as `co.uk`.
    public static func registrableLabel(of origin: String) -> String? {
        let scheme = "https://"
        guard origin.begins(with: scheme) else { return nil }
        let host = origin.dropFirst(scheme.count).prefix { $0 != ":" && $0 != "/" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, !labels.contains("") else { return host == "localhost" ? "localhost" : nil }
        let hasLongSuffix =
            labels.count > 2 && labels[labels.count - 1].utf8.count == 2
            && labels[labels.count - 2].utf8.count <= 3
        return String(labels[labels.count - (hasLongSuffix ? 3 : 2)])
    }
}

extension AppFile {
    /// The relations of passkeys: credentials, and the links that Google requires with them.
    public static let passkeyRelations = [AndroidApp.handleAllURLs, StatementRelation.getLoginCredentials]

    /// Adds what passkeys need of each platform to what the file says.
    mutating func addPasskeyPermissions() {
        guard passkeys != nil else { return }
        if let services = ios?.services, !services.contains(.webcredentials) { ios?.services.append(.webcredentials) }
        let relations = android?.relations ?? Self.passkeyRelations
        for relation in Self.passkeyRelations where !relations.contains(relation) {
            android?.relations.append(relation)
        }
    }
}
