// Releases and their differences, on several pages.

import Association
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
            \(release["author"].text), \(release["created"].text)
            """)
}

func releaseState(_ state: String) -> HTML {
    let tones: [String: Tone] = ["live": .good, "proposed": .wait, "scheduled": .wait, "rejected": .bad]
    return badge(tones[state] ?? .none, state.prefix(1).uppercased() + state.dropFirst())
}

/// Such as `3 links open the app, 1 no longer does; removes host old.example.com`.
func differenceLine(_ difference: SourceValue) -> String {
    if difference.isNull { return "no difference is known" }
    var parts: [String] = []
    let (opens, stops) = (difference["opens"].items.count, difference["stops"].items.count)
    if opens > 0 { parts.append("\(Count.of(opens, "example")) of links that open the app now") }
    if stops > 0 { parts.append("\(Count.of(stops, "example")) of links that no longer do") }
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
