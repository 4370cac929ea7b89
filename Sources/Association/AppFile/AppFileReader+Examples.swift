// The contract tests of an app file, as they are written. They are run elsewhere.

import SourceJSON

extension AppFileReader {
    /// The examples, in order; `hosts` are those that their URLs may have.
    mutating func examples(in root: AppFileFields, hosts: [HostPattern]) -> [LinkExample] {
        guard let value = root["examples"]?.value else { return [] }
        let members = named(
            value, place: "examples", wanted: "an object of URLs and where they open", max: Self.examplesMax)
        var examples: [LinkExample] = []
        for member in members {
            guard let outcome = outcome(of: member) else { continue }
            guard checkURL(member, hosts: hosts) else { continue }
            examples.append(
                LinkExample(url: member.key, ios: outcome.ios, android: outcome.android, range: member.keyRange))
        }
        return examples
    }

    private mutating func outcome(
        of member: SourceMember
    ) -> (ios: LinkExample.Outcome?, android: LinkExample.Outcome?)? {
        let place = "examples[\(member.key)]"
        switch member.value.kind {
        case .string(let text):
            let located = Located(value: text, range: member.value.range)
            guard let outcome = word(located, place: place, as: LinkExample.Outcome.self) else { return nil }
            return (outcome, outcome)
        case .object:
            guard let fields = fields(of: member.value, place: place, known: ["ios", "android"]) else { return nil }
            return (
                word("ios", in: fields, as: LinkExample.Outcome.self)?.value,
                word("android", in: fields, as: LinkExample.Outcome.self)?.value
            )
        default:
            wrongType(member.value, place, wanted: "\"app\", \"web\" or an object with `ios` and `android`")
            return nil
        }
    }

    /// An example is a whole http or https URL on one of the file's hosts.
    private mutating func checkURL(_ member: SourceMember, hosts: [HostPattern]) -> Bool {
        guard let host = LinkExample.host(of: member.key) else {
            report(
                .badExample, member.keyRange, "\(member.key.quoted) is not a whole URL",
                fix: "write it as https://host/path")
            return false
        }
        guard hosts.contains(where: { $0.matches(host) }) else {
            report(
                .exampleHost, member.keyRange,
                "the example is on \(String(host).quoted), which is not a host of this file",
                fix: "add the host, or remove the example")
            return false
        }
        return true
    }
}

extension LinkExample {
    /// The host of an http or https URL, as written, without its port.
    static func host(of url: String) -> Substring? {
        let lowered = url.prefix(8).lowercased()
        let start =
            lowered.hasPrefix("https://") ? 8 : lowered.hasPrefix("http://") ? 7 : nil
        guard let start else { return nil }
        let rest = url.dropFirst(start)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty || authority.contains("@") ? nil : host
    }
}
