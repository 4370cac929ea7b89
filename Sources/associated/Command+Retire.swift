// `associated retire`: confirms that an app file is out of service on purpose, which the removal guard waits for.

import Glibc
import Posix

extension Command {
    static let retire = Command(
        name: "retire", summary: "take an app file out of service",
        details: """
            Confirms to the removal guard that an app file is out of service on purpose: a running server stops serving its hosts at
            once. A file that exists is moved to config/retired/; for one that was deleted, an empty file of its name is written there.

            To drop only an app ID, a fingerprint or a host, add it to `retired` in the app file instead; the server's message has the
            line.
            """,
        operands: Operands(usage: "FILE", counts: 1...1), options: [.config]
    ) { arguments in
        let config = arguments["--config"] ?? "config"
        let (given, apps) = (arguments.operands[0], "\(config)/apps/")
        let name = given.hasPrefix(apps) ? String(given.dropFirst(apps.count)) : given
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.hasSuffix(".json"), !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return .usage(saying: "\(given) is not an app file of \(config); name one such as \(apps)shop.json")
        }
        let (live, retired) = ("\(apps)\(name)", "\(config)/retired/\(name)")
        do throws(SystemError) {
            let isMarked = try OutputFile.create(retired, Array("// taken out of service on purpose\n".utf8))
            if (try? File.status(live)) != nil {
                guard isMarked else {
                    return .failure(saying: "\(retired) exists already; remove one of the two files")
                }
                guard rename(live, retired) == 0 else { throw SystemError(call: "rename", number: errno) }
                Console.output(line: "moved \(live) to \(retired)")
            } else {
                Console.output(line: isMarked ? "wrote \(retired)" : "\(retired) exists already")
            }
            return .success
        } catch {
            return .failure(saying: "cannot write \(retired): \(error.reason)")
        }
    }
}
