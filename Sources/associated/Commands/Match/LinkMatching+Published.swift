// What published association files decide, from wherever they are: named on the command line, or served by a host. A file
// that could not be had is not one that names no app, and the answer keeps the two apart.

import Association
import Posix
import TLS
import Verifier

extension LinkMatching {
    mutating func readApple(_ bytes: [UInt8], file: String) throws(Refusal) {
        let isSigned = Linter.recognise(bytes) == .signedAppleAssociation
        let plain = isSigned ? SignedMessage.content(of: bytes) ?? bytes : bytes
        let reading = AppleAssociation.read(plain, file: file)
        guard let association = reading.association else {
            throw LinkMatching.rejected(file, by: "Apple's systems read", reading.findings)
        }
        apple = LinkMatching.apple(of: association, file: file)
    }

    mutating func readAndroid(_ bytes: [UInt8], file: String) throws(Refusal) {
        let reading = StatementList.read(bytes, file: file)
        guard let list = reading.list else {
            throw LinkMatching.rejected(file, by: "Android reads", reading.findings)
        }
        android = LinkMatching.android(of: list, file: file)
    }

    private static func rejected(_ path: String, by reader: String, _ findings: [Finding]) -> Refusal {
        if let finding = findings.first(where: { $0.severity == .error }) ?? findings.first { Console.error(finding) }
        return .failure("\(reader) nothing of \(path), so no app opens anything")
    }
}

extension LinkMatching {
    /// What the host of a URL serves. A file that it does not have names no app; what else keeps it from being read is
    /// remembered, and said once on standard error.
    init(of url: LinkURL, live: PublishedFiles) {
        let place = LiveFiles.place(of: url)
        self.init(origin: place)
        guard let host = LiveFiles.host(of: url) else {
            let problem =
                if CheckedHost(url.host) == nil {
                    "\(url.host) is no name to ask"
                } else if url.scheme == "http" {
                    "the files are fetched over https, which \(place) names no port for"
                } else {
                    "\(place) has a port that nobody can be asked on"
                }
            Console.complain(problem)
            (appleProblem, androidProblem) = (problem, problem)
            return
        }
        appleProblem = LinkMatching.problem { () throws(Refusal) in
            let file = "https://\(host)\(AssociationPath.apple)"
            if let bytes = try LiveFiles.fetch(AssociationPath.apple, of: host, live) {
                try readApple(bytes, file: file)
            }
        }
        androidProblem = LinkMatching.problem { () throws(Refusal) in
            let file = "https://\(host)\(AssociationPath.statements)"
            if let bytes = try LiveFiles.fetch(AssociationPath.statements, of: host, live) {
                try readAndroid(bytes, file: file)
            }
        }
    }

    /// What keeps something from being done, which is said.
    private static func problem(_ action: () throws(Refusal) -> Void) -> String? {
        do throws(Refusal) { try action() } catch {
            Console.complain(error.message)
            return error.message
        }
        return nil
    }
}
