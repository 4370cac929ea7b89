// Content types of pages, by file name extension.

enum MediaType {
    /// The type of a file by its name; unknown files are offered for download.
    static func of(_ path: String) -> String {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "application/octet-stream" }
        return byExtension[path[path.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    private static let byExtension: [String: String] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "json": "application/json",
        "map": "application/json", "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "xml": "application/xml", "csv": "text/csv; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "woff": "font/woff",
        "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "pdf": "application/pdf",
        "wasm": "application/wasm",
        "mp4": "video/mp4", "webm": "video/webm", "mp3": "audio/mpeg", "zip": "application/zip",
        "gz": "application/gzip",
    ]
}

/// Content types of files below `/.well-known/`, by registered name. Their readers are programs, some of which require the exact
/// type.
enum WellKnownType {
    /// The type of a file by its path below `/.well-known/`.
    static func of(_ name: String) -> String {
        if let type = byName[name] { return type }
        return MediaType.of(name)
    }

    /// JSON types have no charset: it has no meaning there (RFC 8259 §11), and Microsoft's verifier rejects it.
    private static let byName: [String: String] = [
        "apple-app-site-association": "application/json",
        "assetlinks.json": "application/json",
        "apple-developer-merchantid-domain-association": "text/plain",
        "apple-developer-merchantid-domain-association.txt": "text/plain",
        "security.txt": "text/plain; charset=utf-8",
        "mta-sts.txt": "text/plain",
        "passkey-endpoints": "application/json",
        "webauthn": "application/json",
        "web-identity": "application/json",
        "com.apple.remotemanagement": "application/json",
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
