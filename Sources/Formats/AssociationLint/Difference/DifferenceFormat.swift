// The difference for people, what stops working first, and for programs.

import Association
public import SourceJSON

extension AssociationDifference {
    /// The difference as lines under headings; one line if nothing changes.
    public var text: String {
        let examples = "an example for each rule, at most \(OpeningSearch.foundMax)"
        var sections: [(head: String, lines: [String])] = [
            ("These URLs no longer open the app, \(examples):", lines(links.filter { !$0.opensNow })),
            ("Removed:", entries.filter { !$0.isNew }.map(line)),
            ("The removal guard:", held.map(line)),
            ("These URLs open the app now, \(examples):", lines(links.filter(\.opensNow))),
            ("Added:", entries.filter(\.isNew).map(line)),
        ]
        if !reorderedHosts.isEmpty {
            let line =
                "  on \(Self.list(reorderedHosts)): with several of the apps installed, iOS asks them in this order"
            sections.append(("The order of the iOS apps changes:", [line]))
        }
        sections.append(("Not compared completely, so more URLs may change:", rests.map(line)))
        let text = sections.filter { !$0.lines.isEmpty }
            .map { ([$0.head] + $0.lines).map { Printable.line($0) + "\n" }.joined() }.joined(separator: "\n")
        return (isEmpty ? "Nothing changes for any phone\(isComplete ? "." : ", as far as was compared.")\n" : "")
            + (isEmpty && !isComplete ? "\n" : "") + text + (needsBuild ? Self.buildNote : "")
    }

    /// Whether a URL opens the app only with other intent filters.
    private var needsBuild: Bool { links.contains { $0.systems.contains(.android14) } }

    private static let buildNote =
        "\nOn Android 14 and earlier, and without dynamic rules, the intent filters of the app decide. Those of "
        + "`associated snippet` are assumed.\n"

    /// One line for each URL, with all apps.
    private func lines(_ links: [Link]) -> [String] {
        var groups: [[Link]] = []
        var places: [LinkURL: Int] = [:]
        for link in links {
            if let place = places[link.url] {
                groups[place].append(link)
            } else {
                places[link.url] = groups.count
                groups.append([link])
            }
        }
        return groups.map { group in
            let apps = group.map { link in
                "\(link.app) on " + Self.names(link.systems)
                    + (link.isSettled ? "" : " (not settled: the behaviour of the systems is not documented)")
            }
            return "  \(group[0].opensNow ? "+" : "-") \(group[0].url.text): \(apps.joined(separator: "; "))"
                + Self.others(group[0].hosts)
        }
    }

    private func line(_ entry: Entry) -> String {
        let sign = entry.isNew ? "+" : "-"
        let (kind, value, app) = (entry.entry.kind.name, entry.entry.value, entry.entry.app)
        switch entry.entry.kind {
        case .host: return "  \(sign) \(Self.list(entry.hosts))"
        case .app: return "  \(sign) app \(app) on \(Self.list(entry.hosts))"
        default: return "  \(sign) \(kind) \(value) of \(app) on \(Self.list(entry.hosts))"
        }
    }

    private func line(_ removal: HeldRemoval) -> String {
        "  ! \(removal.file) removes \(removal.summary); "
            + (removal.isHeld
                ? "none of its change is published while these are live; restore them, or \(removal.remedy)"
                : "it is published with a warning, and phones may use the cached version for up to a week")
    }

    private func line(_ rest: Rest) -> String {
        let reason =
            switch rest.reason {
            case .limit: "stopped early, because the rules are too many or too long"
            case .queries: "only some combinations of queries and fragments were tried"
            }
        return "  ? \(rest.app) on \(Self.names(rest.systems)), \(Self.list(rest.hosts)): \(reason)"
    }

    /// `Android` for all versions.
    private static func names(_ systems: [PhoneSystem]) -> String {
        switch systems {
        case [.ios, .ios12]: "iOS"
        case [.android, .android14]: "Android"
        default: words(systems.map(\.name))
        }
    }

    private static let namedMax = 3

    private static func list(_ hosts: [String]) -> String {
        let kind = hosts.count == 1 ? "host" : "hosts"
        let more = hosts.count - namedMax
        return "\(kind) " + words(Array(hosts.prefix(namedMax)) + (more > 0 ? ["\(more) more"] : []))
    }

    /// The number of hosts besides that of the URL.
    private static func others(_ hosts: [String]) -> String {
        hosts.count > 1 ? ", and \(Count.of(hosts.count - 1, "other host"))" : ""
    }

    private static func words(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : "\(words.dropLast().joined(separator: ", ")) and \(words[words.count - 1])"
    }

    /// The difference as one object. docs/commands.md describes its members.
    public var value: SourceValue {
        func hosts(_ hosts: [String]) -> (String, SourceValue) { ("hosts", .strings(hosts)) }
        func systems(_ systems: [PhoneSystem]) -> (String, SourceValue) {
            ("systems", .strings(systems.map(\.rawValue)))
        }
        func links(_ opensNow: Bool) -> SourceValue {
            .array(
                self.links.filter { $0.opensNow == opensNow }.map { link in
                    .object([
                        ("url", .string(link.url.text)), ("app", .string(link.app)), systems(link.systems),
                        hosts(link.hosts), ("settled", .bool(link.isSettled)),
                    ])
                })
        }
        func entries(_ isNew: Bool) -> SourceValue {
            .array(
                self.entries.filter { $0.isNew == isNew }.map { entry in
                    .object([
                        ("kind", .string(entry.entry.kind.name)),
                        ("app", entry.entry.app.isEmpty ? .null : .string(entry.entry.app)),
                        ("value", entry.entry.value.isEmpty ? .null : .string(entry.entry.value)), hosts(entry.hosts),
                    ])
                })
        }
        return .object([
            ("complete", .bool(isComplete)), ("stops", links(false)), ("removed", entries(false)),
            (
                "guard",
                .array(
                    held.map { removal in
                        .object([
                            ("file", .string(removal.file)), ("held", .bool(removal.isHeld)),
                            ("removes", .string(removal.summary)), ("fix", .string(removal.remedy)),
                        ])
                    })
            ),
            ("opens", links(true)), ("added", entries(true)), ("reordered", .strings(reorderedHosts)),
            (
                "unfinished",
                .array(
                    rests.map { rest in
                        .object([
                            ("app", .string(rest.app)), systems(rest.systems), hosts(rest.hosts),
                            ("reason", .string(rest.reason.rawValue)),
                        ])
                    })
            ),
        ])
    }
}
