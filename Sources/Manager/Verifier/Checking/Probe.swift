// The requests of a check: one each, as a verifier sends it, or in another form that shows whether the host's answers differ.

import Association
import AssociationLint

/// One request.
enum Probe: Hashable, Sendable {
    /// The file as its verifier fetches it.
    case file(Document)
    /// The path at the root, where old devices look for Apple's file.
    case rootCopy
    /// Apple's file under a wrong name, which no device requests.
    case wrongName(String)
    case agent(Document, Agent)
    case head(Document)
    case gzip(Document)
    /// The host with a trailing dot.
    case trailingDot(Document)
    /// The same file over the other IP version.
    case otherAddress(Document)
    /// A name under `/.well-known/` that cannot exist.
    case unknownName
    /// A host that cannot exist.
    case unknownHost(Document)
    /// An ACME challenge over plain HTTP.
    case challenge
    case robots
    case home
    case wellKnown(String)
    /// The file on the host with `www.` added or removed.
    case sibling(Document)

    /// Which of the two files.
    enum Document: CaseIterable, Hashable, Sendable {
        case apple
        case statements

        var path: String {
            switch self {
            case .apple: AssociationPath.apple
            case .statements: AssociationPath.statements
            }
        }

        /// The clients that fetch the file, the most important first; the last one is any other client.
        var agents: [Agent] {
            switch self {
            case .apple: [.appleBot, .appleDevice, .unknown]
            case .statements: [.google, .googlebot, .android, .unknown]
            }
        }
    }

    /// The user agents of requests.
    enum Agent: String, Hashable, Sendable {
        case appleBot = "AASA-Bot/1.0.0"
        case appleDevice = "swcd (unknown version) CFNetwork/3826.500.131 Darwin/24.5.0"
        case google = "GoogleAssociationService"
        case googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
        case android = "Dalvik/2.1.0 (Linux; U; Android 15; Pixel 9 Build/BP1A.250305.019)"
        case chromium =
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36"
        case unknown = "associated-check/1.0"

        /// The value that is sent. It begins like the verifier's and ends with a mark, by which an `associated` server
        /// recognises the request and does not record it as a fetch of Apple or Google.
        var userAgent: String { self == .unknown ? rawValue : "\(rawValue) \(Self.unknown.rawValue)" }

        /// Its name in a sentence.
        var name: String {
            switch self {
            case .appleBot: "AASA-Bot"
            case .appleDevice: "CFNetwork"
            case .google: "GoogleAssociationService"
            case .googlebot: "Googlebot"
            case .android: "Dalvik"
            case .chromium: "Chromium"
            case .unknown: "an unknown client"
            }
        }
    }

    /// The other well-known names that are requested.
    static let wellKnownNames =
        ["change-password", "passkey-endpoints", "microsoft-identity-association.json", "windows-app-web-link.json"]
        + WellKnownFile.names

    /// The probes that do not depend on other answers.
    static let first: [Probe] =
        Document.allCases.flatMap { document in
            [.file(document), .head(document), .gzip(document), .trailingDot(document), .unknownHost(document)]
                + document.agents.dropFirst().map { Probe.agent(document, $0) }
        } + [.rootCopy, .unknownName, .challenge, .robots, .home] + wellKnownNames.map { .wellKnown($0) }

    var path: String {
        switch self {
        case .file(let document), .agent(let document, _), .head(let document), .gzip(let document),
            .trailingDot(let document), .otherAddress(let document), .unknownHost(let document),
            .sibling(let document):
            document.path
        case .rootCopy: AssociationPath.appleRoot
        case .wrongName(let path): path
        // The specification of change-password uses this name for the same purpose.
        case .unknownName: "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
        case .challenge: "/.well-known/acme-challenge/associated-check"
        case .robots: "/robots.txt"
        case .home: "/"
        case .wellKnown(let name): "/.well-known/\(name)"
        }
    }

    var agent: Agent {
        switch self {
        case .agent(_, let agent): agent
        case .file(let document), .head(let document), .gzip(let document), .trailingDot(let document),
            .otherAddress(let document), .sibling(let document), .unknownHost(let document):
            document.agents[0]
        case .rootCopy, .wrongName: .appleBot
        case .robots: .googlebot
        case .unknownName, .challenge, .home, .wellKnown: .unknown
        }
    }
}

/// A request for a file as its service sends it, for callers that compare what a host answers with what the service has.
public struct VerifierRequest: Sendable {
    public let path: String
    /// With the mark of the program's own requests.
    public let userAgent: String

    private init(_ document: Probe.Document) {
        path = document.path
        userAgent = document.agents[0].userAgent
    }

    public static let apple = VerifierRequest(.apple)
    public static let google = VerifierRequest(.statements)

    /// The query for all statements of a host to Google's service, with their dynamic rules. An empty relation means each.
    public static func googleQuery(_ host: String) -> String {
        "?source.web.site=https://\(host)&return_relation_extensions=true"
    }
}
