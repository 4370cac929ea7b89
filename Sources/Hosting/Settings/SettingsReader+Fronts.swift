// What `server.json` says about the fronts of a server: who they are, and how they tell whom they speak for.

import HTTP
public import Posix
import SourceJSON

/// On which listeners a connection begins with the header of a front (the PROXY protocol).
public enum ProxyProtocol: Sendable {
    case off
    case everywhere
    case on([SocketAddress])
}

extension SettingsReader {
    static let frontKeys = ["trust", "proxyProtocol", "fields", "host"]

    mutating func readFronts(_ value: SourceValue) {
        for member in members(of: value, "`fronts`", known: SettingsReader.frontKeys) {
            switch member.key {
            case "trust": readTrust(member)
            case "proxyProtocol":
                if case .bool(let isOn) = member.value.kind {
                    settings.proxyProtocol = isOn ? .everywhere : .off
                } else {
                    settings.proxyProtocol = .on(addresses(member))
                }
            case "fields":
                if let text = string(member), let fields = FrontSettings.Fields(rawValue: text) {
                    settings.fronts.fields = fields
                } else {
                    let words = FrontSettings.Fields.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                    report(member.value.range, "`fields` must be \(words)", fix: nil)
                }
            default: settings.fronts.namesHost = bool(member) ?? false
            }
        }
        if case .off = settings.proxyProtocol { return }
        if settings.fronts.trusted.isEmpty {
            report(
                value.range, "`proxyProtocol` without `trust` lets nobody in",
                fix: "name the networks of the fronts in `trust`", isLoss: false)
        }
    }

    private mutating func readTrust(_ member: SourceMember) {
        guard case .array(let elements) = member.value.kind else {
            return report(
                member.value.range, "`trust` is not an array of networks", fix: "write `[\"10.0.0.0/8\", \"unix:\"]`")
        }
        for element in elements {
            if case .string(let text) = element.kind, settings.fronts.trusted.add(text) { continue }
            report(
                element.range, "this is not a network", fix: "write `10.0.0.0/8`, `fd00::/8`, `192.0.2.1` or `unix:`")
        }
    }
}
