// Content types of the files below `/.well-known/`: by name where a name is registered with a type, by extension where
// not. The readers of these files are programs, and some of them take the type to the letter.

enum WellKnownType {
    /// The type of a file by its path below `/.well-known/`.
    static func of(_ name: String) -> String {
        if let type = byName[name] { return type }
        return MediaType.of(name)
    }

    /// No type of JSON has a charset: it means nothing there (RFC 8259 §11), and Microsoft's verifier stumbles over it.
    private static let byName: [String: String] = [
        "apple-app-site-association": "application/json",
        "assetlinks.json": "application/json",
        "apple-developer-merchantid-domain-association": "text/plain",
        "apple-developer-merchantid-domain-association.txt": "text/plain",
        "security.txt": "text/plain; charset=utf-8",
        "mta-sts.txt": "text/plain",
        "passkey-endpoints": "application/json",
        "webauthn": "application/json",
        "microsoft-identity-association.json": "application/json",
        "microsoft-identity-association": "application/json",
        "windows-app-web-link": "application/json",
        "applinking.json": "application/json",
        "gpc.json": "application/json",
        "related-website-set.json": "application/json",
        "openid-configuration": "application/json",
        "oauth-authorization-server": "application/json",
        "oauth-protected-resource": "application/json",
        "jwks.json": "application/json",
        "nodeinfo": "application/json",
        "matrix/client": "application/json",
        "matrix/server": "application/json",
        "webfinger": "application/jrd+json",
        "host-meta.json": "application/jrd+json",
        "host-meta": "application/xrd+xml",
        "traffic-advice": "application/trafficadvice+json",
    ]
}
