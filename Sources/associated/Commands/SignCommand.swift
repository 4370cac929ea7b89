// `associated sign`: what `ios.signed` does while serving, for one file.

import Association
import Glibc
import Posix
import TLS

extension Command {
    static let sign = Command(
        name: "sign", summary: "sign an association file for readers that want it signed",
        details: """
            Makes an S/MIME message of FILE, in DER with the document and the certificates inside, as iOS 8 wanted it, and
            verifies it. It is served as application/pkcs7-mime. The file is signed as it is; `associated lint` looks at
            what it says. A key with a passphrase takes it from ASSOCIATED_PASSPHRASE or from a file.
            """,
        operands: Operands(usage: "FILE", counts: 1...1),
        options: [
            Option(
                name: "--certificate", value: "FILE", help: "the signer's certificate and chain, such as fullchain.pem"),
            Option(name: "--key", value: "FILE", help: "its private key, such as privkey.pem"),
            Option(name: "--output", value: "FILE", help: "where the message goes (standard output)"),
            .setting("--passphrase-file"),
        ]
    ) { arguments throws(Refusal) in
        // A core dump would be a copy of the key.
        try? ProcessMemory.forbidDumps()
        guard let certificate = arguments["--certificate"], let key = arguments["--key"] else {
            return .usage(saying: "sign needs --certificate FILE and --key FILE")
        }
        if arguments["--output"] == nil, Console.outputIsTerminal {
            return .usage(saying: "the message is not for a terminal; name a file with --output")
        }
        let path = arguments.operands[0]
        let content = try InputFile.read(path, bytesMax: Renderer.appleBytesMax)
        let signer = DocumentSigner(
            hostsPath: "", named: DocumentSigner.NamedPair(certificateFile: certificate, keyFile: key),
            passphrase: PassphraseSource.given(arguments)?.passphrase)
        var problems: [CertificateProblem] = []
        let outcome = signer.sign(content, for: path, problems: &problems)
        for problem in problems { Console.error(line: "\(problem)") }
        switch outcome {
        case .starved(let reason): return .failure(saying: "cannot sign \(path): \(reason)")
        case .impossible(let reason): return .failure(saying: "cannot sign \(path): \(reason)")
        case .signed(let message, _): return write(message, to: arguments["--output"])
        }
    }

    private static func write(_ message: [UInt8], to path: String?) -> ExitStatus {
        guard let path else {
            Console.output(data: message)
            return .success
        }
        do throws(SystemError) {
            try OutputFile.replace(path, message)
            return .success
        } catch {
            return .failure(saying: "cannot write \(path): \(error.reason)")
        }
    }
}
