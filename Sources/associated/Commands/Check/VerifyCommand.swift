// `associated verify`: is this app bound to this file? Each consumer is asked separately, because they read the same file
// differently, and fetch it differently from a host. What each says is in Association and in the Verifier.

import Association
import AssociationLint
import Client
import Posix
import SourceJSON
import TLS
import Verifier

extension Command {
    static let verify = Command(
        name: "verify", summary: "tell whether an app is bound to a file or a host, as each consumer reads it",
        details: """
            Looks for an Android app (--package with --fingerprint) as Google's service, AOSP's verifier on the device and
            Chromium do, or for an iOS app (--app-id) as Apple does: in FILE, or in what HOST (or HOST:PORT) serves, which
            each fetches as it is known to. Each says verified, not-verified or file-rejected, and why. Ends with status 1
            unless all say verified.
            """,
        operands: Operands(usage: "FILE|HOST", counts: 1...1),
        options: [
            Option(name: "--package", value: "NAME", help: "the application id of an Android app"),
            Option(
                name: "--fingerprint", value: "SHA256",
                help: "the certificate that signs it, in any spelling; may be repeated for several signers",
                isRepeatable: true),
            Option(
                name: "--relation", value: "RELATION",
                help: "relation to verify (default: delegate_permission/common.handle_all_urls)",
                words: AndroidRelation.shortNames),
            Option(name: "--app-id", value: "ID", help: "the id of an iOS app, with the team id before it"),
            Option(
                name: "--service", value: "NAME",
                help: "applinks, webcredentials, appclips or activitycontinuation (default: applinks)",
                words: AppleBinding.Service.allCases.map(\.rawValue)),
            .format, .resolve, .authority,
        ]
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON("none of text, json")
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

/// Where a published file is.
enum PublishedPlace {
    case file(String)
    case host(CheckedHost)

    /// What is there as a file is one. Otherwise it is a host if it looks like one and not like the name of a file: a mistyped
    /// path should not become a question to the name service.
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

/// What one consumer says.
struct BindingAnswer {
    let consumer: String
    let verdict: BindingVerdict
    /// What earlier versions of it say, where that differs.
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

/// The app of one platform that the options name, and what every consumer of that platform's file says about it.
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
        if let option = androids.first { throw .usage("--app-id and \(option) ask about two platforms") }
        return AppleBinding(appID: id, service: try arguments.choice("--service") ?? .applinks)
    }

    private static func android(_ arguments: ParsedArguments) throws(Refusal) -> AndroidBinding {
        if arguments.has("--service") { throw .usage("--service belongs to --app-id") }
        guard let package = arguments["--package"], let texts = arguments.all("--fingerprint") else {
            throw .usage("verify needs --package NAME and --fingerprint SHA256, or --app-id ID")
        }
        var fingerprints: [String] = []
        for text in texts {
            guard let fingerprint = Fingerprint(normalising: text) else {
                let problem = Fingerprint.problems(in: text).first?.message ?? "it is none"
                throw .usage("--fingerprint \(text): \(problem)")
            }
            fingerprints.append(fingerprint.text)
        }
        let relation = arguments["--relation"] ?? AndroidApp.handleAllURLs
        let full = relation.utf8.contains(UInt8(ascii: "/")) ? relation : "delegate_permission/common.\(relation)"
        return AndroidBinding(package: package, fingerprints: fingerprints, relation: full)
    }

    /// What everybody says who reads the file of the platform.
    func answers(
        from place: PublishedPlace, _ arguments: ParsedArguments
    ) throws(Refusal) -> [BindingAnswer] {
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
        // A signed file is read for what is in it, as devices do.
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
