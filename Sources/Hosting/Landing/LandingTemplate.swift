// A landing page of a host's own: an HTML file with places such as `{{name}}` for what the page is about. Read once; where
// each place stands in the markup is known from then on, so that nothing is put where it could not be escaped.

import Association
import SourceJSON

/// A template, taken apart.
struct LandingTemplate: Sendable {
    /// Where it lies in the folder of a host. It is no page itself.
    static let path = "/_landing.html"
    /// More is not sent as a landing page anyway.
    static let bytesMax = 65_536

    /// A piece of a template. A part that depends on a value is a piece with pieces of its own.
    indirect enum Piece: Sendable {
        case text([UInt8])
        case place(Place)
        case part(of: Place, isShownWhenEmpty: Bool, [Piece])
    }

    /// What can be put in.
    enum Place: String, Sendable, CaseIterable {
        case name, tagline, link, appLink, appStore, playStore, storeID, metadata

        /// A whole URL, which may stand where a URL is expected.
        var isURL: Bool {
            switch self {
            case .link, .appLink, .appStore, .playStore: true
            case .name, .tagline, .storeID, .metadata: false
            }
        }
    }

    /// A template that cannot be used, and the line that is to blame.
    struct Problem: Error {
        var message: String
        var line: Int
    }

    let file: String
    let pieces: [Piece]
    /// The scripts that stand in the page itself, as a policy names them.
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
            message: "\(message), so the page that every app has stands in its place")
    }
}
