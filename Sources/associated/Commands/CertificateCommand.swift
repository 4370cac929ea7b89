// `associated certificate`: what `serve --dev` makes on its own, for programs other than this one.

import Association
import Posix
import TLS

extension Command {
    static let certificate = Command(
        name: "certificate", summary: "make a development authority, and certificates by it",
        details: """
            Makes the development authority in the state directory, unless it is there, and prints the path of its
            certificate: what curl takes with --cacert and what a browser can be told to trust. For each HOST it writes
            DIR/HOST/fullchain.pem and DIR/HOST/privkey.pem, good for 60 days. `serve --dev` needs none of them: it makes
            its own. No phone trusts them, and no file that exists is written over.
            """,
        operands: Operands(usage: "[HOST…]", counts: 0...1000),
        options: [
            .state, Option(name: "--output", value: "DIR", help: "where the folders of the hosts go; needed with HOST"),
        ]
    ) { arguments in
        // A core dump would be a copy of the keys.
        try? ProcessMemory.forbidDumps()
        let output = arguments["--output"]
        if output == nil, !arguments.operands.isEmpty {
            return .usage(saying: "certificate needs --output DIR for the files of \(arguments.operands[0])")
        }
        do throws(TLSError) {
            let authority = try DevelopmentAuthority(directory: arguments["--state"] ?? "state")
            Console.output(line: authority.certificatePath)
            for host in arguments.operands.map({ HostPattern.typed($0) }) {
                let folder = "\(output ?? "")/\(host)"
                let certificate = "\(folder)/fullchain.pem"
                let key = "\(folder)/privkey.pem"
                try authority.write(for: host, certificateFile: certificate, keyFile: key)
                for file in [certificate, key] { Console.output(line: file) }
            }
            return .success
        } catch {
            return .failure(saying: error.description)
        }
    }
}
