// `associated verify`: is this app bound to this file? Asked of each consumer on its own, because they read the same file
// differently. What each says is in `Binding`.

import Association
import Posix
import SourceJSON

extension Command {
    static let verify = Command(
        name: "verify", summary: "tell whether an app is bound to a file, as each consumer reads it",
        details: """
            Looks in FILE for an Android app (--package with --fingerprint) as Google's service, AOSP's verifier on the
            device and Chromium do, or for an iOS app (--app-id) as Apple does. Each says verified, not-verified or
            file-rejected, and why. Ends with status 1 unless all say verified.
            """,
        operands: Operands(usage: "FILE", counts: 1...1),
        options: [
            Option(name: "--package", value: "NAME", help: "the application id of an Android app"),
            Option(
                name: "--fingerprint", value: "SHA256",
                help: "the certificate that signs it, in any spelling; may be repeated for several signers",
                isRepeatable: true),
            Option(
                name: "--relation", value: "RELATION",
                help: "what the app is to be trusted with (delegate_permission/common.handle_all_urls)"),
            Option(name: "--app-id", value: "ID", help: "the id of an iOS app, with the team id before it"),
            Option(
                name: "--service", value: "NAME",
                help: "applinks, webcredentials, appclips or activitycontinuation (applinks)"),
            Option(name: "--format", value: "FORMAT", help: "text or json (text)"),
        ]
    ) { arguments in
        let format = arguments["--format"] ?? "text"
        guard ["text", "json"].contains(format) else { return .unknown("--format", format, ["text", "json"]) }
        let question: Binding.Question
        switch Binding.question(arguments) {
        case .success(let asked): question = asked
        case .failure(let error): return .usage(saying: error.description)
        }
        let path = arguments.operands[0]
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, bytesMax: AppFile.bytesMax).bytes
        } catch {
            return .failure(saying: "cannot read \(path): \(error)")
        }
        let answers = Binding.answers(to: question, in: bytes, file: path)
        Console.output(format == "json" ? Binding.json(answers) : Binding.text(answers))
        return answers.allSatisfy { $0.verdict == .verified } ? .success : .failure
    }
}
