// `associated verify`: is this app bound to this file? Asked of each consumer on its own, because they read the same file
// differently, and fetch it differently from a host. What each says is in Association and in the Verifier.

import Association
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
    ) { arguments in
        let format = arguments["--format"] ?? "text"
        guard ["text", "json"].contains(format) else { return .unknown("--format", format, ["text", "json"]) }
        do throws(Refusal) {
            let question = try BindingQuestion(arguments)
            let answers = try question.answers(from: PublishedPlace(arguments.operands[0]), arguments)
            if format == "json" {
                Console.output(data: Array(BindingAnswer.json(answers).utf8))
            } else {
                Console.output(BindingAnswer.text(answers))
            }
            return answers.allSatisfy { $0.verdict.kind == .verified } ? .success : .failure
        } catch {
            return error.status
        }
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
