// `associated certificate`: the development certificates that `serve --dev` creates by itself, for other programs.

import Association
import Certificates
import Posix
import Supervision
import TLS

extension Command {
    static let certificate = Command(
        name: "certificate", summary: "create a development CA and certificates signed by it",
        details: """
            Creates a development CA in the state directory, unless there is one, and prints the path of its certificate.
            Use that file with curl's --cacert, or import it into a browser. Phones do not trust this CA.

            For each HOST, the command writes DIR/HOST/fullchain.pem and DIR/HOST/privkey.pem, valid for 60 days. It does not
            overwrite existing files; delete them to get new ones. `serve --dev` needs no such files: it creates the certificates
            of its hosts in memory.
            """,
        operands: Operands(usage: "[HOST…]", counts: 0...100_000),
        options: [
            .state,
            Option(name: "--output", value: "DIR", help: "directory for the certificates (required with HOST)"),
        ],
        failure: "a file could not be written"
    ) { arguments in
        // A core dump would copy the keys to disk.
        try? ProcessMemory.forbidDumps()
        let output = arguments["--output"]
        if output == nil, !arguments.operands.isEmpty {
            return .usage(saying: "certificate needs --output DIR to write the files of \(arguments.operands[0])")
        }
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
    }
}
