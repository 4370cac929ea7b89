// `associated sign`: signs one file as the server does for `ios.signed`.

import Association
import Certificates
import Posix
import Supervision
import TLS

extension Command {
    static let sign = Command(
        name: "sign", summary: "sign an apple-app-site-association file, as iOS 8 required",
        details: """
            Signs FILE, an apple-app-site-association file, and verifies the signature. Only iOS 8 required signed files; later
            versions accept them.

            The result is an S/MIME (CMS) message in DER that contains the file and the certificates. Serve it as
            application/pkcs7-mime. The content of FILE is not checked; use `associated lint` for that.
            """,
        operands: Operands(usage: "FILE", counts: 1...1),
        options: [
            Option(
                name: "--certificate", value: "FILE",
                help: "certificate of the signer with its chain, such as fullchain.pem (required)"),
            Option(name: "--key", value: "FILE", help: "private key of the signer, such as privkey.pem (required)"),
            Option(name: "--output", value: "FILE", help: "file to write (default: standard output)"),
        ],
        failure: "FILE could not be signed"
    ) { arguments throws(Refusal) in
        // A core dump would copy the key to disk.
        try? ProcessMemory.forbidDumps()
        guard let certificate = arguments["--certificate"], let key = arguments["--key"] else {
            return .usage(saying: "sign needs --certificate FILE and --key FILE")
        }
        if arguments["--output"] == nil, Console.outputIsTerminal {
            return .usage(saying: "a signed file is binary and cannot go to a terminal; name a file with --output")
        }
        let path = arguments.operands[0]
        let content = try InputFile.read(path, bytesMax: Renderer.appleBytesMax)
        let signer = DocumentSigner(
            hostsPath: "", named: NamedPair(certificateFile: certificate, keyFile: key))
        var problems: [CertificateProblem] = []
        let outcome = signer.sign(content, for: path, problems: &problems)
        for problem in problems { Console.error(line: "\(problem)") }
        switch outcome {
        case .shortage(let reason): return .failure(saying: "cannot sign \(path): \(reason)")
        case .impossible(let reason): return .failure(saying: "cannot sign \(path): \(reason)")
        case .signed(let message, _):
            if let path = arguments["--output"] {
                try OutputFile.replace(path, message)
            } else {
                Console.output(data: message)
            }
            return .success
        }
    }
}
