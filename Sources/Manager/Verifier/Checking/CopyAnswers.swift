// The answers of services that keep copies of a host's files: Apple's CDN says why it has none, Google's service lists statements.

public import Client
import SourceJSON
import TLS

/// Why Apple's CDN has no copy.
struct AppleFailure {
    let message: String
    let fix: String?

    init(_ response: FetchedResponse) {
        let reason = AppleFailure.text(response["apple-failure-reason"])
        let details = AppleFailure.text(response["apple-failure-details"])
        let code = reason.prefix(12)
        let known = code.hasPrefix("SWCERR") ? AppleFailure.known[String(code.prefix(11))] : nil
        var parts = ["Apple has no copy"]
        parts.append(reason.isEmpty ? "the answer is \(response.status) without a reason" : "the reason is \(reason)")
        if !details.isEmpty { parts.append(details) }
        if let known { parts.append(known.meaning) }
        if let age = response.maxAge { parts.append("Apple caches this for \(age) seconds") }
        message = parts.joined(separator: "; ")
        fix = known?.fix
    }

    private static let known: [String: (meaning: String, fix: String)] = [
        "SWCERR00101": ("the host answered with a status other than 200", "answer AASA-Bot with 200, from everywhere"),
        "SWCERR00202": ("the host has a private address", "publish a public address"),
        "SWCERR00301": (
            "the host did not answer within about five seconds", "serve the file from memory, and avoid cold starts"
        ),
    ]

    /// A text from another server, shortened and without control characters.
    static func text(_ text: String?) -> String {
        String(
            String.UnicodeScalarView(
                (text ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(300)))
    }
}

/// An answer of `statements:list`.
struct GoogleAnswer {
    let response: FetchedResponse

    /// What is wrong with it; nil if nothing is.
    /// - Parameter own: the file as the host serves it; nil if it serves none.
    func problem(comparedWith own: [UInt8]?) -> (message: String, fix: String?)? {
        switch copy {
        case .unusable(let reason): return ("Google's service cannot be compared: \(reason)", nil)
        case .failure(let reason): return (reason, "fix the host; Google checks again after maxAge, \(maxAge)")
        case .document: return nil
        case .statements(let seen, maxAgeSeconds: _):
            guard let own, let served = CopyAnswer.apps(in: own), seen != served else { return nil }
            let sides = [seen, served].map { Set($0.map(CopyAnswer.withoutRules)) }
            return (
                sides[0] == sides[1]
                    ? "Google's service sees other dynamic rules than the host serves"
                    : "Google's service sees other app certificates (\(sides[0].count)) than the host serves (\(sides[1].count))",
                "wait for maxAge, \(maxAge), and check whether Googlebot can fetch the file"
            )
        }
    }

    /// Its answer as a value.
    var copy: CopyAnswer {
        if response.isTruncated { return .unusable(CopyAnswer.tooLong) }
        guard response.status == 200 else { return .unusable("it answers \(response.status)") }
        guard let body = response.plainBody, let root = SourceReader.read(body, as: .json).value, root.asObject != nil
        else { return .unusable("it answers something other than JSON") }
        let codes = GoogleAnswer.errorCodes(in: root)
        guard codes.isEmpty else { return .failure(codes.map(GoogleAnswer.text).joined(separator: "; ")) }
        let age = root.member(named: "maxAge")?.asString?.prefix { $0.isWholeNumber }
        return .statements(
            GoogleAnswer.fingerprints(root.member(named: "statements")), maxAgeSeconds: age.flatMap { Int64($0) })
    }

    /// The service has about ten; an answer may have any number.
    private static func errorCodes(in root: SourceValue) -> [String] {
        Array((root.member(named: "errorCode")?.asArray ?? []).lazy.compactMap(\.asString).prefix(8))
    }

    /// An error code with its meaning.
    private static func text(_ code: String) -> String {
        "Google's service says \(AppleFailure.text(code))\(meanings[code].map { ": \($0)" } ?? "")"
    }

    private var maxAge: String {
        let root = response.plainBody.flatMap { SourceReader.read($0, as: .json).value }
        return AppleFailure.text(root?.member(named: "maxAge")?.asString ?? "which is not given")
    }

    /// The relation of links, which stands for itself in the texts below.
    private static let links = "delegate_permission/common.handle_all_urls"

    /// The certificates of Android apps in a list of statements, in the host's format or in Google's, for each relation, with its dynamic
    /// rules. Google has a statement for each certificate and relation, with the rules of this relation.
    fileprivate static func fingerprints(_ list: SourceValue?) -> Set<String> {
        var found: Set<String> = []
        for statement in list?.asArray ?? [] {
            let target = statement.member(named: "target")
            let app = target?.member(named: "androidApp")
            let relation = statement.member(named: "relation")
            let relations = relation?.asArray?.compactMap(\.asString) ?? [relation?.asString].compactMap { $0 }
            let package = target?.member(named: "package_name") ?? app?.member(named: "packageName")
            let list = target?.member(named: "sha256_cert_fingerprints")?.asArray ?? []
            let one = app?.member(named: "certificate")?.member(named: "sha256Fingerprint")
            let prints = (list + [one].compactMap { $0 }).compactMap(\.asString)
            let extensions =
                statement.member(named: "relationExtensions") ?? statement.member(named: "relation_extensions")
            for relation in Set(relations) {
                let prefix = relation == links ? "" : "\(relation) "
                let rules = suffix(for: extensions?.member(named: relation))
                for print in prints { found.insert("\(prefix)\(package?.asString ?? "") \(print)\(rules)") }
            }
        }
        return found
    }

    /// The digest of the dynamic rules of a relation; empty if there are none. Rules may be long, and each certificate has them.
    private static func suffix(for rules: SourceValue?) -> String {
        guard let rules, rules.asObject?.isEmpty == false else { return "" }
        return " {\(Digest.hexadecimal(Digest.sha256(DocumentDigest.canonical(rules)).prefix(16)))}"
    }

    /// The meanings of the service's error codes.
    private static let meanings = [
        "ERROR_CODE_INVALID_QUERY": "the request was invalid",
        "ERROR_CODE_FETCH_ERROR": "it could not fetch the file",
        "ERROR_CODE_FAILED_SSL_VALIDATION": "it does not trust the host's certificate",
        "ERROR_CODE_REDIRECT": "the host answered with a redirect",
        "ERROR_CODE_TOO_LARGE": "the file is too large",
        "ERROR_CODE_MALFORMED_HTTP_RESPONSE": "the answer was invalid HTTP",
        "ERROR_CODE_WRONG_CONTENT_TYPE": "content-type is not application/json",
        "ERROR_CODE_MALFORMED_CONTENT": "the file does not have the required JSON",
        "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE": "the file includes a file that is not fetched over https",
        "ERROR_CODE_FETCH_BUDGET_EXHAUSTED": "the file includes too many others, or itself",
    ]
}

/// What a service that keeps copies answered about the file of a host.
public enum CopyAnswer: Sendable, Equatable {
    /// The file, without its signature.
    case document([UInt8])
    /// The Android apps, each with a certificate, with the relation if it is not that of links, and with a digest of its dynamic rules;
    /// and how long the service keeps this answer.
    case statements(Set<String>, maxAgeSeconds: Int64?)
    /// Why it could not fetch the file, and what to do.
    case failure(String)
    /// Why this says nothing about the host.
    case unusable(String)

    static let tooLong = "its answer is too long"

    /// An answer of Apple's CDN. It answers 404 whatever the host did.
    public init(apple response: FetchedResponse) {
        switch response.status {
        case 200: self = CopyAnswer.reading(response)
        case 404 where response["apple-failure-reason"] != nil:
            let failure = AppleFailure(response)
            self = .failure([failure.message, failure.fix].compactMap(\.self).joined(separator: "; "))
        // Something between here and Apple has answered.
        case 404: self = .unusable("it answers 404 without Apple's reason; does a proxy answer instead?")
        default: self = .unusable("it answers \(response.status)")
        }
    }

    /// An answer of Google's `statements:list`.
    public init(google response: FetchedResponse) { self = GoogleAnswer(response: response).copy }

    /// An app of `statements` without its dynamic rules.
    static func withoutRules(_ app: String) -> String {
        app.firstRange(of: " {").map { String(app[..<$0.lowerBound]) } ?? app
    }

    private static func reading(_ response: FetchedResponse) -> CopyAnswer {
        if response.isTruncated { return .unusable(tooLong) }
        guard let body = response.plainBody else { return .unusable("its answer does not match its content-encoding") }
        if response.isPage { return .unusable("it answers a page instead of the file") }
        return .document(plain(body))
    }

    /// A file without its signature.
    public static func plain(_ file: [UInt8]) -> [UInt8] {
        // A message in DER is a sequence.
        file.first == 0x30 ? SignedDocument.content(of: file) ?? file : file
    }

    /// The apps of a statement list, as `statements` has them. Nil if the file includes others, which are not known here.
    public static func apps(in file: [UInt8]) -> Set<String>? {
        let root = SourceReader.read(file, as: .json).value
        let includes = root?.asArray?.contains { $0.member(named: "include") != nil } ?? false
        return includes ? nil : GoogleAnswer.fingerprints(root)
    }
}
