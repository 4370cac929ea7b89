// A host's own landing page: an HTML file with placeholders such as `{{name}}`. It is parsed once, including the HTML around each
// placeholder, so that no value is put where it cannot be escaped.

import Association
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
