// The rules of published files, as `match` gets them: from files that are named, or from the host of a URL. What is wrong with a file is
// reported here, once.

import Association
import Client
import Supervision
import Verifier

extension LinkMatching {
    mutating func readApple(_ bytes: [UInt8], file: String) throws(Refusal) {
        let reading = AppleAssociation.read(CopyAnswer.plain(bytes), file: file)
        guard take(reading, file: file) else {
            throw LinkMatching.rejected(file, by: "Apple's systems reject", reading.findings)
        }
    }

    mutating func readAndroid(_ bytes: [UInt8], file: String) throws(Refusal) {
        let reading = StatementList.read(bytes, file: file)
        guard take(reading, file: file) else {
            throw LinkMatching.rejected(file, by: "Android rejects", reading.findings)
        }
    }

    private static func rejected(_ path: String, by reader: String, _ findings: [Finding]) -> Refusal {
        if let finding = findings.first(where: { $0.severity == .error }) ?? findings.first { Console.error(finding) }
        return .failure("\(reader) \(path), so no app opens any link")
    }

    /// The files that the host of a URL serves. A missing file names no app; any other failure is kept, and reported once on
    /// standard error.
    init(of url: LinkURL, live: PublishedFiles, platform: Platform?) {
        let place = LiveFiles.place(of: url)
        self.init(origin: place)
        guard let host = LiveFiles.host(of: url) else {
            let problem =
                if CheckedHost(url.host) == nil {
                    "\(url.host) is not a host name"
                } else if url.scheme == "http" {
                    "the files are fetched over https, and \(place) names a port for http"
                } else {
                    "the port of \(place) is not valid"
                }
            Console.complain(problem)
            (appleProblem, androidProblem) = (problem, problem)
            return
        }
        appleProblem = LinkMatching.problem { () throws(Refusal) in
            if platform == .android { return }
            let file = "https://\(host)\(AssociationPath.apple)"
            if let bytes = try LiveFiles.fetch(AssociationPath.apple, of: host, live) {
                try readApple(bytes, file: file)
            }
        }
        androidProblem = LinkMatching.problem { () throws(Refusal) in
            if platform == .apple { return }
            let file = "https://\(host)\(AssociationPath.statements)"
            if let bytes = try LiveFiles.fetch(AssociationPath.statements, of: host, live) {
                try readAndroid(bytes, file: file)
            }
        }
    }

    /// The message of a failed action, which is also reported; nil on success.
    static func problem(_ action: () throws(Refusal) -> Void) -> String? {
        do throws(Refusal) { try action() } catch {
            Console.complain(error.message)
            return error.message
        }
        return nil
    }
}
