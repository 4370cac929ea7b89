// `associated history`: which hosts changed, when and how, from the journal in the state directory.

import Administration
import Association
import HTTP
import Posix
import SourceJSON
import Supervision

extension Command {
    static let history = Command(
        name: "history", summary: "show which hosts changed, when and how",
        details: """
            Prints the change journal in the server's state directory, oldest entries first: one line for each host whose answers
            changed, with the rules, apps and fingerprints that were added or removed. With HOST, it prints the entries of that
            host only.

            The server need not be running. When the journal reaches 8 MiB, half of it is dropped: the oldest entries of the tenants
            (folders of config/apps) that have the most.
            """,
        operands: Operands(usage: "[HOST]", counts: 0...1),
        options: [
            .state,
            Option(
                name: "--since", value: "AGE",
                help: "print only changes of the last 90s, 30m, 12h or 7d, for example (default: all)"),
            .format,
        ],
        failure: "the journal cannot be read or has no entry of HOST"
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        var since = ""
        if let text = arguments["--since"] {
            guard let span = TimeSpan(text) else {
                return .usage(saying: "--since \(text) is not an age; write 90s, 30m, 12h or 7d")
            }
            since = HTTPDate.timestamp(Clock.wallSeconds() - span.seconds)
        }
        let folder = arguments["--state"] ?? "state"
        do throws(FileError) {
            let host = arguments.operands.first.map { HostPattern.typed($0).lowercased() }
            let entries = try ChangeJournal(folder: folder).entries()
            if let host, !entries.contains(where: { $0.host == host }) {
                return .failure(saying: "the journal has no entry of \(host)")
            }
            for entry in entries where entry.time >= since && (host == nil || entry.host == host) {
                let isWanted =
                    isJSON
                    ? Console.output(data: entry.line)
                    : Console.output("\(Printable.line(entry.text))\n")
                if !isWanted { break }
            }
            return .success
        } catch {
            let advice =
                error.isMissing
                ? "name the server's state directory with --state" : "run this as the server's user, or as root"
            return .failure(saying: "cannot read \(folder)/\(ChangeJournal.name): \(error); \(advice)")
        }
    }
}
