// Releases and their differences, on several pages.

import SourceJSON

/// A release in a list, with its difference in a line.
func releaseRow(_ release: SourceValue, _ call: ConsoleCall, withTenant: Bool) -> HTML {
    let (tenant, number) = (release["tenant"].text, release["number"].number)
    let name = withTenant ? "\(tenant) \(number)" : "Release \(number)"
    let message = release["message"].text
    return row(
        link(path("apps", tenant, "releases", "\(number)"), name), states: [releaseState(release["state"].text)],
        more: """
            \(message.isEmpty ? "" : "\(message) — ")\(differenceLine(release["difference"]))<br>\
            \(release["author"].text), \(stamp(release["created"].text))
            """)
}

func releaseState(_ state: String) -> HTML {
    let tones: [String: Tone] = ["live": .good, "proposed": .wait, "scheduled": .wait, "rejected": .bad]
    return badge(tones[state] ?? .none, state.prefix(1).uppercased() + state.dropFirst())
}

/// Such as `no longer opens https://shop.example.com/a and 2 more; removes host old.example.com`.
func differenceLine(_ difference: SourceValue) -> String {
    if difference.isNull { return "no difference is known" }
    var parts: [String] = []
    for (name, verb) in [("stops", "no longer opens"), ("opens", "opens")] {
        guard let first = difference[name].items.first else { continue }
        let more = difference[name].items.count - 1
        parts.append("\(verb) \(first["url"].text)" + (more > 0 ? " and \(more) more" : ""))
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
