// `associated retire`: confirms to the removal guard that an app file goes out of service on purpose.

import Association
import Glibc
import Hosting
import Posix

extension Command {
    static let retire = Command(
        name: "retire", summary: "take an app file out of service",
        details: """
            Takes an app file out of service. Deleting an app file is not enough: a running server continues to serve its
            hosts, because it cannot know that the deletion was on purpose (the removal guard). This command confirms
            it. The server then removes this app from its hosts at once; a host that no other app file names is no
            longer served.

            APP is an app file in config/apps/, or its name without the extension. The command moves the file to
            config/retired/. If there is no such file, the command assumes that it was deleted, and writes a file of
            that name to config/retired/, with only a comment.

            To remove only an app id, a fingerprint or a host, add it to `retired` in the app file instead; the server's
            message contains the line to add.
            """,
        operands: Operands(usage: "APP", counts: 1...1),
        options: [
            .config,
            .force.with(
                help:
                    "confirm the deletion of APP even if its name is similar to that of an existing app file, for which it "
                    + "is otherwise taken"),
        ],
        failure: "APP looks misspelt (see --force), or a file could not be moved or written"
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
            return .failure(saying: "there is no directory \(config)/apps; name the configuration with --config")
        }
        let (live, retired) = ("\(apps)\(name)", "\(config)/retired/\(name)")
        if (try? File.status(live)) == nil, (try? File.status(retired)) == nil {
            let ending = ".json".utf8.count
            let names = files.paths.map { String($0.dropFirst(apps.count).dropLast(ending)) }
            if !arguments.has("--force"), let nearest = NearestKey.find(String(name.dropLast(ending)), among: names) {
                return .failure(
                    saying:
                        "there is no app file \(live); did you mean \(apps)\(nearest).json? If \(live) was deleted, "
                        + "confirm that with --force")
            }
            Console.complain("there is no app file \(live); its deletion is confirmed")
        }
        let isMarked = try OutputFile.create(retired, Array("// taken out of service on purpose\n".utf8))
        guard (try? File.status(live)) != nil else {
            Console.output(line: isMarked ? "wrote \(retired)" : "\(retired) already exists")
            return .success
        }
        guard isMarked else { return .failure(saying: "both \(live) and \(retired) exist; remove one of them") }
        guard unsafe rename(live, retired) == 0 else {
            return .failure(saying: "cannot write \(retired): \(SystemError(call: "rename", number: errno).reason)")
        }
        Console.output(line: "moved \(live) to \(retired)")
        return .success
    }
}
