// What `server.json` says about the two logs: of requests, and of the process itself.

import Association
import SourceJSON

extension SettingsReader {
    mutating func readLog(_ value: SourceValue) {
        for member in members(of: value, "`log`", known: SettingsReader.logKeys) {
            switch member.key {
            case "query":
                settings.accessLog.hasQuery = bool(member) ?? true
                continue
            case "handshakes":
                settings.accessLog.hasHandshakes = bool(member) ?? false
                continue
            default: break
            }
            guard let text = string(member) else { continue }
            switch member.key {
            case "only":
                settings.accessLog.only =
                    choice(text, AccessLogSettings.Only.allCases, \.rawValue, member, "choice of lines", "all") ?? .all
            case "access":
                if let place = AccessLogSettings.Place(text) {
                    settings.accessLog.place = place
                } else {
                    report(
                        member.value.range, "`\(text)` is not a place for the access log, so there is none",
                        fix: AccessLogSettings.Place.advice)
                }
            case "format":
                settings.accessLog.format =
                    choice(
                        text, AccessLogSettings.Format.allCases, \.rawValue, member, "format of the access log", "JSON")
                    ?? .json
            case "process":
                settings.processLog.format =
                    choice(
                        text, ProcessLogSettings.Format.allCases, \.rawValue, member, "format of the process log",
                        "text")
                    ?? .text
            default:
                settings.processLog.level =
                    choice(text, ProcessLogSettings.Level.allCases, \.name, member, "level of the process log", "info")
                    ?? .info
            }
        }
    }

    /// The one of that name; otherwise a finding that says what is used instead.
    private mutating func choice<Value>(
        _ text: String, _ values: [Value], _ name: (Value) -> String, _ member: SourceMember, _ what: String,
        _ instead: String
    ) -> Value? {
        if let value = values.first(where: { name($0) == text }) { return value }
        let known = values.map(name)
        report(
            member.value.range, "`\(text)` is not a \(what), so it is written as \(instead)",
            fix: "write `\(NearestKey.find(text, among: known) ?? known[0])`")
        return nil
    }
}
