// The contract tests of an app file, as they are written. They are run elsewhere.

import SourceJSON

extension AppFileReader {
    /// The examples, in order; `hosts` are those that their URLs may have.
    mutating func examples(in root: AppFileFields, hosts: [HostPattern]) -> [LinkExample] {
        guard let value = root["examples"]?.value else { return [] }
        let members = named(
            value, place: "examples", wanted: "an object of URLs and where they open", max: Self.examplesMax)
        let exactHosts = Set(hosts.lazy.filter { !$0.isWildcard }.map(\.name))
        let wildcards = hosts.filter(\.isWildcard)
        let isKnown = { (host: String) in exactHosts.contains(host) || wildcards.contains { $0.matches(host) } }
        var examples: [LinkExample] = []
        for member in members {
            guard let outcomes = outcomes(of: member), let url = url(member, isKnown) else { continue }
            examples.append(
                LinkExample(
                    url: url, ios: outcomes[0], android: outcomes[1], android14: outcomes[2], range: member.keyRange))
        }
        return examples
    }

    /// For each of the platforms, in their order; nil where nothing can be made of the value.
    private mutating func outcomes(of member: SourceMember) -> [LinkExample.Outcome?]? {
        let place = "examples[\(member.key)]"
        switch member.value.kind {
        case .string(let text):
            let located = Located(value: text, range: member.value.range)
            return word(located, place: place, as: LinkExample.Outcome.self).map { [$0, $0, $0] }
        case .object:
            guard let fields = fields(of: member.value, place: place, known: LinkExample.platforms) else { return nil }
            return LinkExample.platforms.map { word($0, in: fields, as: LinkExample.Outcome.self)?.value }
        default:
            wrongType(
                member.value, place, wanted: "\"app\", \"web\" or an object with `ios`, `android` and `android14`")
            return nil
        }
    }

    /// An example is a whole http or https URL on one of the file's hosts.
    private mutating func url(_ member: SourceMember, _ isKnown: (String) -> Bool) -> LinkURL? {
        guard member.key.utf8.count <= Self.exampleLengthMax else {
            report(
                .app025, member.keyRange,
                "the example \(member.key.quoted) is longer than \(Self.exampleLengthMax) bytes, and no link is",
                fix: "write a shorter one")
            return nil
        }
        switch LinkURL.parse(member.key) {
        case .failure(let problem):
            report(
                .app025, member.keyRange, "the example \(member.key.quoted) cannot be checked: \(problem.message)",
                fix: problem.fix)
            return nil
        case .success(let url):
            if isKnown(url.host) { return url }
            report(
                .app028, member.keyRange, "the example is on \(url.host.quoted), which is not a host of this file",
                fix: "add the host, or remove the example")
            return nil
        }
    }
}
