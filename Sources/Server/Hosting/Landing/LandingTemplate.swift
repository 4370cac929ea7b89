// A host's own landing page: an HTML file with placeholders such as `{{name}}`. It is parsed once, including the HTML around each
// placeholder, so that no value is put where it cannot be escaped.

import Association
import Catalogue
import SourceJSON

/// A parsed template.
struct LandingTemplate: Sendable {
    /// Its path in the host's folder. It is not served as a page.
    static let path = "/_landing.html"
    /// Larger landing pages would not be sent.
    static let bytesMax = 65_536

    /// A part depends on a value and contains pieces of its own.
    indirect enum Piece: Sendable {
        case text([UInt8])
        case place(Place)
        case part(of: Place, isShownWhenEmpty: Bool, [Piece])
    }

    /// The placeholders.
    enum Place: String, Sendable, CaseIterable {
        case name, tagline, link, appLink, appStore, playStore, storeID, metadata

        /// Whether the value is a whole URL, which may be used where HTML expects a URL.
        var isURL: Bool {
            switch self {
            case .link, .appLink, .appStore, .playStore: true
            case .name, .tagline, .storeID, .metadata: false
            }
        }
    }

    /// Why a template cannot be used, with the line.
    struct Problem: Error {
        var message: String
        var line: Int
    }

    let file: String
    let pieces: [Piece]
    /// The hashes of its inline scripts, as a content security policy lists them.
    let scripts: [String]

    init(_ bytes: [UInt8], file: String) throws(Problem) {
        var reader = LandingTemplateReader(bytes)
        pieces = try reader.pieces()
        scripts = reader.scripts
        self.file = file
    }

    static func finding(_ file: String, _ message: String, line: Int? = nil) -> Finding {
        Finding(
            rule: .cfg007, severity: .warning, file: file,
            range: line.map { SourceRange(at: SourcePosition(line: $0, column: 1, offset: 0)) },
            message: "\(message), so the standard page is served")
    }
}

/// Fills a template with an app's values, which are escaped. The link is inserted when the page is sent.
extension LandingTemplate {
    /// Leaves room for the longest link within the maximum page size.
    static let filledBytesMax = 12_288

    /// The page of an app; nil if it would be too long to send.
    func page(for app: AppFile, rules: [LinkRule]) -> PreparedLanding? {
        var text = LandingText()
        fill(pieces, for: app, &text)
        let segments = text.segments
        guard segments.reduce(0, { $0 + $1.text.count }) <= LandingTemplate.filledBytesMax else { return nil }
        return PreparedLanding(rules: rules, head: LandingPage.head(policy: policy), segments: segments)
    }

    private func fill(_ pieces: [Piece], for app: AppFile, _ text: inout LandingText) {
        for piece in pieces {
            switch piece {
            case .text(let bytes): text.add(bytes)
            case .place(let place): fill(place, for: app, &text)
            case .part(let place, let isShownWhenEmpty, let inner):
                if hasValue(place, for: app) != isShownWhenEmpty { fill(inner, for: app, &text) }
            }
        }
    }

    private func fill(_ place: Place, for app: AppFile, _ text: inout LandingText) {
        switch place {
        case .name: text.add(escaping: app.name)
        case .tagline: text.add(escaping: app.pages.tagline ?? "")
        case .link:
            text.add("https://")
            text.addLink(.attribute)
        case .appLink:
            guard let scheme = app.scheme else { return }
            text.addAppLink(scheme: scheme)
        case .appStore: text.add(escaping: app.appStoreURL ?? "")
        case .playStore:
            guard let url = app.playStoreURL else { return }
            text.add(escaping: url)
            text.addLink(.referrer)
        case .storeID: text.add(escaping: app.ios?.storeID ?? "")
        case .metadata: LandingPage.addMetadata(of: app, to: &text)
        }
    }

    private func hasValue(_ place: Place, for app: AppFile) -> Bool {
        switch place {
        case .name, .link, .metadata: true
        case .tagline: app.pages.tagline?.isEmpty == false
        case .appLink: app.scheme != nil
        case .appStore: app.appStoreURL != nil
        case .playStore: app.playStoreURL != nil
        case .storeID: app.ios?.storeID != nil
        }
    }

    /// The page may load files of its own host and run its inline scripts as they were read.
    private var policy: String {
        let scripts = (["'self'"] + scripts).joined(separator: " ")
        return "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; "
            + "script-src \(scripts); base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    }
}
