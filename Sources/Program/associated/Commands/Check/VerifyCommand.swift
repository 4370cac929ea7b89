// `associated verify`: does an association file bind an app? Each consumer (Google, AOSP, Chromium, Apple) gets its own answer,
// because each fetches and reads the file in its own way. Their rules are in `AssociationLint` and `Verifier`.

import Association
import AssociationLint
import Client
import Posix
import SourceJSON
import Supervision
import TLS
import Verifier

extension Command {
    static let verify = Command(
        name: "verify",
        summary: "show whether a host's file binds an app, as Google, Android (AOSP), Chromium or Apple read it",
        details: """
            Shows whether an association file binds an app to the host that serves it. The file is FILE, or the one that
            HOST (or HOST:PORT) serves.

            For an Android app (--package and --fingerprint), the command prints three answers: of Google's Digital Asset
            Links service (google), of the verifier on Android devices (aosp) and of Chromium (chromium). If an earlier
            Android version answers differently, it gets a line of its own, such as "aosp (Android 11 and earlier)". For
            an iOS app (--app-id), the command prints Apple's answer. Each answer is verified, not-verified or
            file-rejected, with the reason.
            """,
        operands: Operands(usage: "FILE|HOST", counts: 1...1),
        options: [
            Option(name: "--package", value: "NAME", help: "package name of the Android app"),
            Option(
                name: "--fingerprint", value: "SHA256",
                help:
                    "SHA-256 fingerprint of the certificate that signs it, in any notation (repeatable: several signers)",
                isRepeatable: true),
            Option(
                name: "--relation", value: "RELATION",
                help: "relation to verify (default: delegate_permission/common.handle_all_urls)",
                words: AndroidRelation.shortNames),
            Option(
                name: "--app-id", value: "ID",
                help: "app id of the iOS app: team id and bundle id, such as 8KQ2V7M4XN.com.acme.shop"),
            Option(
                name: "--service", value: "NAME",
                help:
                    "service to verify: applinks, webcredentials, appclips or activitycontinuation (default: applinks)",
                words: AppleBinding.Service.allCases.map(\.rawValue)),
            .format, .resolve, .authority,
        ],
        failure: "an answer is not \"verified\""
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let question = try BindingQuestion(arguments)
        let answers = try question.answers(from: PublishedPlace(arguments.operands[0]), arguments)
        if isJSON {
            Console.output(data: Array(BindingAnswer.json(answers).utf8))
        } else {
            Console.output(BindingAnswer.text(answers))
        }
        return answers.allSatisfy { $0.verdict.kind == .verified } ? .success : .failure
    }
}

/// The file or host whose file is verified.
enum PublishedPlace {
    case file(String)
    case host(CheckedHost)

    /// An existing path is a file. Other text is a host if it looks like one and not like a file name: a misspelt path must
    /// not cause a DNS query.
    init(_ text: String) {
        let isThere = (try? File.status(text)) != nil
        let name = text.hasPrefix("https://") ? String(text.dropFirst(8)) : text
        let written = name.hasSuffix("/") && name != text ? String(name.dropLast()) : name
        if !isThere, let host = CheckedHost(typed: written), name != text || PublishedPlace.isHost(written) {
            self = .host(host)
        } else {
            self = .file(text)
        }
    }

    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") || text == "localhost" { return true }
        let endings = [".json", ".json5", ".txt", ".p7m", ".der", ".aasa"]
        return text.contains(".") && !text.hasPrefix(".") && !endings.contains(where: text.hasSuffix)
    }
}

/// The answer of one consumer.
struct BindingAnswer {
    let consumer: String
    let verdict: BindingVerdict
    /// The answers of its earlier versions, if they differ.
    var earlier: [(versions: String, verdict: BindingVerdict)] = []

    static func text(_ answers: [BindingAnswer]) -> String {
        func line(_ name: String, _ verdict: BindingVerdict) -> String {
            "\(name): \(verdict.kind.rawValue): \(Printable.line(verdict.reason))\n"
        }
        return answers.map { answer in
            let earlier = answer.earlier.map { line("\(answer.consumer) (\($0.versions))", $0.verdict) }
            return line(answer.consumer, answer.verdict) + earlier.joined()
        }.joined()
    }

    static func json(_ answers: [BindingAnswer]) -> String {
        func members(_ verdict: BindingVerdict) -> [(String, SourceValue)] {
            [("verdict", .string(verdict.kind.rawValue)), ("reason", .string(verdict.reason))]
        }
        let members = answers.map { answer in
            let earlier = answer.earlier.map { other in
                SourceValue.object([("versions", .string(other.versions))] + members(other.verdict))
            }
            let rest: [(String, SourceValue)] = earlier.isEmpty ? [] : [("earlier", .array(earlier))]
            return (answer.consumer, SourceValue.object(members(answer.verdict) + rest))
        }
        return String(decoding: SourceWriter.canonical(.object(members)), as: UTF8.self)
    }
}

/// The app that the options name, on one platform.
enum BindingQuestion {
    case android(AndroidBinding)
    case apple(AppleBinding)

    init(_ arguments: ParsedArguments) throws(Refusal) {
        if let id = arguments["--app-id"] {
            self = .apple(try BindingQuestion.apple(id, arguments))
        } else {
            self = .android(try BindingQuestion.android(arguments))
        }
    }

    private static func apple(_ id: String, _ arguments: ParsedArguments) throws(Refusal) -> AppleBinding {
        let androids = ["--package", "--fingerprint", "--relation"].filter(arguments.has)
        if let option = androids.first {
            throw .usage("--app-id is for iOS and \(option) for Android; give one of them")
        }
        return AppleBinding(appID: id, service: try arguments.choice("--service") ?? .applinks)
    }

    private static func android(_ arguments: ParsedArguments) throws(Refusal) -> AndroidBinding {
        if arguments.has("--service") { throw .usage("--service needs --app-id") }
        guard let package = arguments["--package"], let texts = arguments.all("--fingerprint") else {
            throw .usage("verify needs one of --app-id ID, --package NAME with --fingerprint SHA256")
        }
        var fingerprints: [String] = []
        for text in texts {
            guard let fingerprint = Fingerprint(normalising: text) else {
                let problem = Fingerprint.problems(in: text).first?.message ?? "it is not a fingerprint"
                throw .usage("--fingerprint \(text): \(problem)")
            }
            fingerprints.append(fingerprint.text)
        }
        let relation = arguments["--relation"] ?? AndroidApp.handleAllURLs
        let full = relation.utf8.contains(UInt8(ascii: "/")) ? relation : "delegate_permission/common.\(relation)"
        return AndroidBinding(package: package, fingerprints: fingerprints, relation: full)
    }

    /// The answers of all consumers of the platform's file.
    func answers(from place: PublishedPlace, _ arguments: ParsedArguments) throws(Refusal) -> [BindingAnswer] {
        let consumers = FileConsumer.allCases.filter { ($0 == .apple) == isApple }
        switch place {
        case .file(let path):
            let bytes = try InputFile.read(path)
            switch Linter.recognise(bytes) {
            case .appleAssociation where !isApple, .signedAppleAssociation where !isApple:
                throw .usage("\(path) is an apple-app-site-association file; use --app-id")
            case .statementList where isApple:
                throw .usage("\(path) is a statement list; use --package and --fingerprint")
            default: break
            }
            return consumers.map { answer(of: $0, on: bytes, path) }
        case .host(let host):
            let live = try LiveFiles.fetcher(arguments)
            return Concurrently.map(consumers, threadsMax: consumers.count) { consumer in
                switch live.fetch(for: consumer, of: host) {
                case .success(let bytes): answer(of: consumer, on: bytes, "https://\(host)")
                case .failure(let refused):
                    BindingAnswer(
                        consumer: consumer.rawValue, verdict: BindingVerdict(.fileRejected, refused.description))
                }
            }
        }
    }

    private var isApple: Bool {
        if case .apple = self { return true }
        return false
    }

    private func answer(of consumer: FileConsumer, on bytes: [UInt8], _ file: String) -> BindingAnswer {
        var answer: BindingAnswer
        switch self {
        // Devices read the content of a signed file, so this does too.
        case .apple(let binding):
            let verdict = binding.verdict(on: SignedDocument.content(of: bytes) ?? bytes, file: file)
            return BindingAnswer(consumer: consumer.rawValue, verdict: verdict)
        case .android(let binding):
            let reader = StatementConsumer(rawValue: consumer.rawValue) ?? .google
            answer = BindingAnswer(
                consumer: consumer.rawValue, verdict: binding.verdict(of: reader, on: bytes, file: file))
            if reader == .aosp { answer.earlier = Array(binding.verdictsOfAOSP(on: bytes, file: file).dropFirst()) }
        }
        return answer
    }
}
