// Releases and their differences, on several pages.

import AssociationLint
import SourceJSON

/// A release in a list, with its difference in a line.
func releaseRow(_ release: SourceValue, _ call: ConsoleCall, withTenant: Bool) -> HTML {
    let (tenant, number) = (release["tenant"].text, release["number"].number)
    let name = withTenant ? "\(tenant) \(number)" : "Release \(number)"
    let message = release["message"].text
    let isLater = release["state"].text == "scheduled"
    let time: HTML = isLater ? "goes live \(stamp(release["publishAt"].text))" : stamp(release["created"].text)
    return row(
        link(path("apps", tenant, "releases", "\(number)"), name), states: [releaseState(release)],
        more: """
            \(message.isEmpty ? "" : "\(message) — ")\(differenceLine(release["difference"]))<br>\
            \(call.who(release["author"].text)), \(time)
            """)
}

func releaseState(_ release: SourceValue) -> HTML {
    let isWithdrawn = release["state"].text == "rejected" && release["reason"].text == "withdrawn"
    let state = isWithdrawn ? "withdrawn" : release["state"].text
    let tones: [String: Tone] = ["live": .good, "proposed": .wait, "scheduled": .wait, "rejected": .bad]
    return badge(tones[state] ?? .none, state.prefix(1).uppercased() + state.dropFirst())
}

/// Such as `no longer opens https://shop.example.com/a and 2 more; removes host old.example.com`.
func differenceLine(_ difference: SourceValue) -> String {
    if difference.isNull { return "no difference is known" }
    var parts: [String] = []
    for (name, verb) in [("stops", "no longer opens"), ("opens", "opens")] {
        let urls = difference[name].items.map(\.["url"].text)
        guard let first = urls.first else { continue }
        let more = Set(urls).count - 1
        parts.append("\(verb) \(first)" + (more > 0 ? " and \(more) more" : ""))
    }
    func entries(_ name: String, _ verb: String) {
        let items = difference[name].items
        if items.isEmpty { return }
        let first = items[0]
        let what = first["value"].asString ?? first["app"].asString ?? first["hosts"].items.first?.text ?? ""
        parts.append("\(verb) \(first["kind"].text) \(what)" + (items.count > 1 ? " and \(items.count - 1) more" : ""))
    }
    entries("added", "adds")
    entries("removed", "removes")
    return parts.isEmpty ? "nothing changes for any phone" : parts.joined(separator: "; ")
}

/// What changes for phones, with examples.
func difference(_ value: SourceValue, title: String = "What changes for phones") -> HTML {
    if value.isNull { return .none }
    // One row for a URL, with the apps and systems that it is about.
    func links(_ name: String, _ sign: String) -> [HTML] {
        var places: [String: Int] = [:]
        var urls: [(url: String, apps: [String])] = []
        for link in value[name].items {
            let systems = link["systems"].items.map { PhoneSystem(rawValue: $0.text)?.name ?? $0.text }
            let (url, app) = (link["url"].text, "\(link["app"].text) on \(systems.joined(separator: ", "))")
            if let place = places[url] {
                urls[place].apps.append(app)
            } else {
                places[url] = urls.count
                urls.append((url, [app]))
            }
        }
        return urls.map { row("<code>\(sign) \($0.url)</code>", more: "\($0.apps.joined(separator: "; "))") }
    }
    func entries(_ name: String, _ sign: String) -> [HTML] {
        value[name].items.map { entry in
            let what = entry["value"].asString ?? entry["app"].asString ?? entry["hosts"].items.first?.text ?? ""
            return row(
                "<code>\(sign) \(entry["kind"].text) \(what)</code>",
                more: "\(entry["hosts"].items.prefix(5).map(\.text).joined(separator: ", "))")
        }
    }
    let held = value["guard"].items.map { removal -> HTML in
        row(
            "\(removal["file"].text) removes \(removal["removes"].text)", states: [badge(.bad, "Removal guard")],
            more: "\(removal["fix"].text)")
    }
    let parts = [
        ("No longer opens the app, such as", links("stops", "−")), ("Removed", entries("removed", "−")), ("Held", held),
        ("Opens the app now, such as", links("opens", "+")), ("Added", entries("added", "+")),
    ].filter { !$0.1.isEmpty }.map { title, rows -> HTML in "<h3>\(title)</h3>\(list(rows, empty: .none))" }
    return section(
        title, id: "difference",
        parts.isEmpty ? "<p class=\"soft\">Nothing changes for any phone.</p>" : HTML(parts))
}

/// Findings with their places and remedies.
/// - Parameter source: the text that they are about, whose lines are shown.
func findingList(_ findings: [SourceValue], in source: String = "") -> HTML {
    if findings.isEmpty { return .none }
    let tones: [String: Tone] = ["error": .bad, "warning": .warn]
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let rows = findings.map { finding -> HTML in
        let number = Int(finding["line"].number)
        let excerpt: HTML? =
            lines.indices.contains(number - 1) && !source.isEmpty
            ? "<pre class=\"code\"><code>\(number) | \(String(lines[number - 1].prefix(200)))</code></pre>" : nil
        let line = finding["line"].time.map { ":\($0):\(finding["column"].number)" } ?? ""
        return row(
            "\(finding["message"].text)",
            states: [badge(tones[finding["severity"].text] ?? .none, finding["rule"].text)],
            more:
                "<code>\(finding["file"].text)\(line)</code>\(finding["fix"].asString.map { "<br><span class=\"next\">\($0)</span>" as HTML })\(excerpt)"
        )
    }
    return section("Findings", id: "findings", list(rows, empty: .none))
}

/// The lines that a release has changed.
/// - Parameter since: the release that had the old ones.
func lineChanges(from old: [String], to new: [String], since: Int64) -> HTML {
    // Most of a long file is the same. What is between costs the product of its lines.
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    let (old, new) = (Array(old[start..<(old.count - end)]), Array(new[start..<(new.count - end)]))
    if max(old.count, new.count) > comparedLinesMax {
        return "<p class=\"soft\">Too long to be compared with release \(since) here.</p>"
    }
    let changes = new.difference(from: old)
    if changes.isEmpty { return "<p class=\"soft\">The same as in release \(since).</p>" }
    // In the order of the new text, what is gone before what replaces it.
    var (lines, oldPlace): ([HTML], Int) = ([], 0)
    let gone = Set(
        changes.removals.map { change in
            guard case .remove(let place, _, _) = change else { return -1 }
            return place
        })
    let added = Set(
        changes.insertions.map { change in
            guard case .insert(let place, _, _) = change else { return -1 }
            return place
        })
    func removals() {
        while gone.contains(oldPlace) {
            lines.append("<del>− \(old[oldPlace])</del>")
            oldPlace += 1
        }
    }
    for place in new.indices {
        removals()
        if added.contains(place) { lines.append("<ins>+ \(new[place])</ins>") } else { oldPlace += 1 }
    }
    removals()
    return """
        <p class="soft">Changed since release \(since):</p><pre class="code" tabindex="0"><code>\(lines)</code></pre>
        """
}

/// Of one file. A page compares up to ten, for anybody who may read.
private let comparedLinesMax = 500

/// What two versions of an app file differ in: rules if both can be read, else lines, in which comments count.
func fileChanges(from old: String, to new: String, since: Int64) -> HTML {
    func rules(_ text: String) -> [String]? {
        SourceReader.read(Array(text.utf8), as: .json5).value.map { documentLines($0) }
    }
    if let before = rules(old), let after = rules(new), before != after {
        return lineChanges(from: before, to: after, since: since)
    }
    func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    return lineChanges(from: lines(old), to: lines(new), since: since)
}

/// A document in lines that can be compared: a rule is one line, and no comma depends on what follows.
func documentLines(_ value: SourceValue, name: String = "", indent: String = "") -> [String] {
    func isLine(_ value: SourceValue) -> Bool {
        if let members = value.asObject { return members.allSatisfy { $0.value.asArray == nil && isLine($0.value) } }
        return value.asArray?.allSatisfy { $0.asArray == nil && $0.asObject == nil } ?? true
    }
    // A file of a host may have any depth, and a thread has little stack.
    if isLine(value) || indent.utf8.count >= 64 { return [indent + name + SourceWriter.line(value)] }
    let inner = indent + "  "
    if let members = value.asObject {
        let content = members.flatMap {
            documentLines($0.value, name: "\(SourceWriter.quoted($0.key)): ", indent: inner)
        }
        return ["\(indent)\(name){"] + content + ["\(indent)}"]
    }
    return ["\(indent)\(name)["] + (value.asArray ?? []).flatMap { documentLines($0, indent: inner) } + ["\(indent)]"]
}
