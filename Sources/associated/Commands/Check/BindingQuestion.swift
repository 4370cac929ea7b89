// What `associated verify` asks: about an app of one platform, by the options of the command, of everybody who reads the file
// of that platform.

import Association
import Posix
import TLS
import Verifier

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
        let name = arguments["--service"] ?? AppleBinding.Service.applinks.rawValue
        guard let service = AppleBinding.Service(rawValue: name) else {
            let known = AppleBinding.Service.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--service \(name) is none of \(known)")
        }
        return AppleBinding(appID: id, service: service)
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
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try File.read(path, bytesMax: AppFile.bytesMax).bytes
            } catch {
                throw .failure("cannot read \(path): \(error)")
            }
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
            let verdict = binding.verdict(on: SignedMessage.content(of: bytes) ?? bytes, file: file)
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
