// `associated retire`: confirms that an app file is out of service on purpose, which the removal guard waits for.

import Association
import Glibc
import Posix

extension Command {
    static let retire = Command(
        name: "retire", summary: "take an app file out of service",
        details: """
            Confirms to the removal guard that an app file is out of service on purpose: a running server stops serving its hosts at
            once. APP is an app file of config/apps/, or its name without the ending. A file that exists is moved to config/retired/;
            for one that was deleted, an empty file of its name is written there.

            To drop only an app ID, a fingerprint or a host, add it to `retired` in the app file instead; the server's message has the
            line.
            """,
        operands: Operands(usage: "APP", counts: 1...1),
        options: [
            .config, .force.saying("confirm the deletion of an app file although one of a similar name is there"),
        ]
    ) { arguments in
        let configuration = GivenConfiguration(arguments)
        let config = configuration.path
        let (given, apps) = (arguments.operands[0], "\(config)/apps/")
        let stem = given.hasPrefix(apps) ? String(given.dropFirst(apps.count)) : given
        let name = stem.hasSuffix(".json") || stem.hasSuffix("/") ? stem : "\(stem).json"
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return .usage(saying: "\(given) is not an app file of \(config); name one such as \(apps)shop.json")
        }
        guard let files = configuration.appFiles else {
            return .failure(saying: "there is no folder \(config)/apps; name the configuration with --config")
        }
        let (live, retired) = ("\(apps)\(name)", "\(config)/retired/\(name)")
        if (try? File.status(live)) == nil, (try? File.status(retired)) == nil {
            let ending = ".json".utf8.count
            let names = files.map { String($0.dropFirst(apps.count).dropLast(ending)) }
            if !arguments.has("--force"), let nearest = NearestKey.find(String(name.dropLast(ending)), among: names) {
                return .failure(
                    saying:
                        "there is no app file \(live); did you mean \(apps)\(nearest).json? If \(live) was deleted, "
                        + "confirm that with --force")
            }
            Console.complain("there is no app file \(live); this only confirms that it was deleted")
        }
        do throws(SystemError) {
            let isMarked = try OutputFile.create(retired, Array("// taken out of service on purpose\n".utf8))
            if (try? File.status(live)) != nil {
                guard isMarked else {
                    return .failure(saying: "\(retired) exists already; remove one of the two files")
                }
                guard unsafe rename(live, retired) == 0 else { throw SystemError(call: "rename", number: errno) }
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
